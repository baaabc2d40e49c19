# MPI called by Python's ctypes: argv[1]: the library; argv[2]: local or global.
import ctypes
import sys

mode = ctypes.RTLD_GLOBAL if sys.argv[2] == "global" else ctypes.RTLD_LOCAL
mpi = ctypes.CDLL(sys.argv[1], mode=mode)
if hasattr(mpi, "ompi_mpi_comm_world"):
    world = ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))
    byte = ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_byte"))
    world, byte, ignore = ctypes.c_void_p(world), ctypes.c_void_p(byte), ctypes.c_void_p(0)
else:
    world, byte, ignore = 0x44000000, 0x4C00010D, ctypes.c_void_p(1)
rank = ctypes.c_int(-1)
data = ctypes.create_string_buffer(100)
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
for i in range(10):
    if rank.value == 0:
        data.raw = bytes([i] * 100)
        mpi.MPI_Send(data, 100, byte, 1, i, world)
    else:
        mpi.MPI_Recv(data, 100, byte, 0, i, world, ignore)
    assert data.raw == bytes([i] * 100)
mpi.MPI_Barrier(world)
print("task", rank.value, "right", flush=True)
mpi.MPI_Finalize()
