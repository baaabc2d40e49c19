! Two tasks call MPI from Fortran; compiled three times, for its three interfaces: -DMPIF_H, -DUSE_MPI,
! -DUSE_F08. What the trace must hold is the same each time: tests/capture/test_fortran.c.
program fortran
#if defined(USE_F08)
  use mpi_f08
  implicit none
  type(MPI_Comm) :: half, grid
  type(MPI_Request) :: requests(2), single
  type(MPI_Status) :: status, statuses(2)
#elif defined(USE_MPI)
  use mpi
  implicit none
  integer :: half, grid, requests(2), single
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#else
  implicit none
  include 'mpif.h'
  integer :: half, grid, requests(2), single
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#endif
  integer :: me, other, ierr, length, place
  integer :: numbers(16), more(16), counts(2), places(2)
  logical :: flag, around(2)
  double precision :: total, part

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  other = 1 - me
  numbers = me
  if (me == 0) then
     call MPI_Send(numbers, 3, MPI_INTEGER, 1, 11, MPI_COMM_WORLD, ierr)
     call MPI_Send(numbers(1:9:2), 5, MPI_INTEGER, 1, 12, MPI_COMM_WORLD, ierr)
     call MPI_Ssend(total, 1, MPI_DOUBLE_PRECISION, 1, 13, MPI_COMM_WORLD, ierr)
     call MPI_Send(numbers, 7, MPI_INTEGER, MPI_PROC_NULL, 14, MPI_COMM_WORLD, ierr)
  else
     call MPI_Recv(numbers, 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
     call MPI_Get_count(status, MPI_INTEGER, length, ierr)
     if (length /= 3) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
     call MPI_Probe(0, 12, MPI_COMM_WORLD, status, ierr)
     call MPI_Recv(numbers, 16, MPI_INTEGER, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
     call MPI_Recv(total, 1, MPI_DOUBLE_PRECISION, 0, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if

  call MPI_Irecv(more, 16, MPI_INTEGER, other, 21, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(numbers, 2 + me, MPI_INTEGER, other, 21, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Irecv(more, 16, MPI_INTEGER, other, 22, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(numbers, 4, MPI_INTEGER, other, 22, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, statuses, ierr)
  call MPI_Irecv(more, 16, MPI_INTEGER, MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, single, ierr)
  call MPI_Send(numbers, 5, MPI_INTEGER, other, 23, MPI_COMM_WORLD, ierr)
  call MPI_Wait(single, MPI_STATUS_IGNORE, ierr)
  call MPI_Irecv(more, 16, MPI_INTEGER, other, 24, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send(numbers, 6, MPI_INTEGER, other, 24, MPI_COMM_WORLD, ierr)
  flag = .false.
  do while (.not. flag)
     call MPI_Test(requests(1), flag, status, ierr)
  end do
  call MPI_Irecv(more, 16, MPI_INTEGER, other, 25, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Sendrecv(numbers, 1, MPI_INTEGER, other, 25, more(9), 1, MPI_INTEGER, MPI_PROC_NULL, 25, &
       MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Waitany(1, requests, place, MPI_STATUS_IGNORE, ierr)
#ifndef USE_F08
  ! (MPICH 4.0.2's mpi_f08 counts the place from 0, with capture or without)
  if (place /= 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
#endif

  if (me == 0) then
     call MPI_Send_init(numbers, 8, MPI_INTEGER, other, 31, MPI_COMM_WORLD, single, ierr)
  else
     call MPI_Recv_init(numbers, 8, MPI_INTEGER, other, 31, MPI_COMM_WORLD, single, ierr)
  end if
  call MPI_Start(single, ierr)
  call MPI_Wait(single, status, ierr)
  call MPI_Request_free(single, ierr)

  total = me
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (total /= 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Reduce(total, part, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 1, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(numbers, 9, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
  if (me == 0) then
     call MPI_Gather(MPI_IN_PLACE, 2, MPI_INTEGER, more, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  else
     call MPI_Gather(numbers, 2, MPI_INTEGER, more, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  end if
  counts = (/ 1 + me, 1 + me /)
  places = (/ 0, 8 /)
  call MPI_Alltoallv(numbers, (/ 1, 2 /), places, MPI_INTEGER, more, counts, places, MPI_INTEGER, &
       MPI_COMM_WORLD, ierr)

  call MPI_Comm_split(MPI_COMM_WORLD, me, 0, half, ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Comm_free(half, ierr)
  around = (/ .true., .false. /)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, (/ 2, 1 /), around, .false., grid, ierr)
  call MPI_Pcontrol(0)
  call MPI_Barrier(grid, ierr)
  call MPI_Pcontrol(1)
  call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, grid, flag, MPI_STATUS_IGNORE, ierr)
#ifdef USE_F08
  call MPI_Barrier(grid) ! the error is optional there
#else
  call MPI_Barrier(grid, ierr)
#endif
  call MPI_Comm_free(grid, ierr)
  call MPI_Finalize(ierr)
end program fortran
