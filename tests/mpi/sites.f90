! Calls of MPI from Fortran at known places, by both modules: lines with a comment "at NAME" are
! those that tests/capture/test_sites.sh looks for.
program sites
  use mpi
  implicit none
  integer :: error, me, in, out, request(2)
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, me, error)
  out = me
  call mpi_irecv(in, 1, MPI_INTEGER, 1 - me, 5, MPI_COMM_WORLD, request(1), error) ! at irecv
  call mpi_isend(out, 1, MPI_INTEGER, 1 - me, 5, MPI_COMM_WORLD, request(2), error) ! at isend
  call mpi_waitall(2, request, MPI_STATUSES_IGNORE, error) ! at waitall
  call newer(out)
  call mpi_finalize(error)
contains
  subroutine newer(value)
    use mpi_f08
    integer :: value
    call mpi_bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD) ! at bcast
  end subroutine
end program
