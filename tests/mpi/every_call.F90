! Three tasks make every call that traces hold, from Fortran: the very calls of every_call.c in the same
! order, so that what that writes down holds for the traces of both. Compiled three times, for the three
! interfaces: -DMPIF_H, -DUSE_MPI, -DUSE_F08, and once more with -DUSE_F08 -DLARGE, which has the functions
! with large counts; -DMPI_3 leaves out what MPI 4.0 added. Requests are completed and persistent ones run as there.
#if defined(USE_F08)
#define HANDLE(kind) type(kind)
#define STATUS_OF type(MPI_Status)
#else
#define HANDLE(kind) integer
#define STATUS_OF integer, dimension(MPI_STATUS_SIZE)
#endif
#if defined(LARGE)
#define COUNTS integer(kind=MPI_COUNT_KIND)
#define PLACES integer(kind=MPI_ADDRESS_KIND)
#define N(count) int(count, MPI_COUNT_KIND)
#define P(place) int(place, MPI_ADDRESS_KIND)
#else
#define COUNTS integer
#define PLACES integer
#define N(count) count
#define P(place) place
#endif
module every_call
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer :: me, left, right, ierr
  integer :: numbers(64), more(64), in(256), out(256), memory(64), here(64), there(64)
contains
  subroutine complete(request)
    HANDLE(MPI_Request), intent(inout) :: request
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end subroutine complete

  subroutine run(request)
    HANDLE(MPI_Request), intent(inout) :: request
    call MPI_Start(request, ierr)
    call complete(request)
    call MPI_Request_free(request, ierr)
  end subroutine run

  subroutine post(tag, request)
    integer, intent(in) :: tag
    HANDLE(MPI_Request), intent(inout) :: request
    call MPI_Irecv(more, N(16), MPI_INTEGER, left, tag, MPI_COMM_WORLD, request, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine post

  subroutine sends
    HANDLE(MPI_Request) :: request, both(2)
    integer, save :: buffer(1024)
    call MPI_Buffer_attach(buffer, 4096, ierr)
    call post(1, request)
    call MPI_Send(numbers, N(1), MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierr)
    call complete(request)
    call post(2, request)
    call MPI_Bsend(numbers, N(2), MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr)
    call complete(request)
    call post(3, request)
    call MPI_Ssend(numbers, N(3), MPI_INTEGER, right, 3, MPI_COMM_WORLD, ierr)
    call complete(request)
    call post(4, request)
    call MPI_Rsend(numbers, N(4), MPI_INTEGER, right, 4, MPI_COMM_WORLD, ierr)
    call complete(request)
    call MPI_Isend(numbers, N(5), MPI_INTEGER, right, 5, MPI_COMM_WORLD, request, ierr)
    call MPI_Recv(more, N(16), MPI_INTEGER, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call complete(request)
    call MPI_Ibsend(numbers, N(6), MPI_INTEGER, right, 6, MPI_COMM_WORLD, request, ierr)
    call MPI_Recv(more, N(16), MPI_INTEGER, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call complete(request)
    call MPI_Issend(numbers, N(7), MPI_INTEGER, right, 7, MPI_COMM_WORLD, request, ierr)
    call MPI_Recv(more, N(16), MPI_INTEGER, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call complete(request)
    call post(8, both(1))
    call MPI_Irsend(numbers, N(8), MPI_INTEGER, right, 8, MPI_COMM_WORLD, both(2), ierr)
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, ierr)
  end subroutine sends

  subroutine exchanges
    HANDLE(MPI_Request) :: request
    call MPI_Sendrecv(numbers, N(2), MPI_INTEGER, right, 11, more, N(16), MPI_INTEGER, left, 11, &
         MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv_replace(numbers, N(3), MPI_INTEGER, right, 12, left, 12, MPI_COMM_WORLD, &
         MPI_STATUS_IGNORE, ierr)
#if !defined(MPI_3)
    call MPI_Isendrecv(numbers, N(4), MPI_INTEGER, right, 13, more, N(16), MPI_INTEGER, left, 13, &
         MPI_COMM_WORLD, request, ierr)
    call complete(request)
    call MPI_Isendrecv_replace(numbers, N(5), MPI_INTEGER, right, 14, left, 14, MPI_COMM_WORLD, request, &
         ierr)
    call complete(request)
#endif
  end subroutine exchanges

  subroutine persistent
    HANDLE(MPI_Request) :: all(5), bcast, mixed(3)
    integer :: i
    call MPI_Recv_init(more, N(16), MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, all(1), ierr)
    call MPI_Send_init(numbers, N(1), MPI_INTEGER, right, 21, MPI_COMM_WORLD, all(2), ierr)
    call MPI_Bsend_init(numbers, N(2), MPI_INTEGER, right, 22, MPI_COMM_WORLD, all(3), ierr)
    call MPI_Ssend_init(numbers, N(3), MPI_INTEGER, right, 23, MPI_COMM_WORLD, all(4), ierr)
    call MPI_Rsend_init(numbers, N(4), MPI_INTEGER, right, 24, MPI_COMM_WORLD, all(5), ierr)
    do i = 2, 5
       call MPI_Start(all(1), ierr)
       call MPI_Barrier(MPI_COMM_WORLD, ierr)
       call MPI_Start(all(i), ierr)
       call MPI_Waitall(5, all, MPI_STATUSES_IGNORE, ierr)
    end do
#if !defined(MPI_3)
    call MPI_Bcast_init(numbers, N(3), MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, bcast, ierr)
    mixed = (/ bcast, all(1), all(2) /)
    call MPI_Startall(3, mixed, ierr)
    call MPI_Waitall(3, mixed, MPI_STATUSES_IGNORE, ierr)
    call run(bcast)
#else
    call MPI_Startall(2, all, ierr)
    call MPI_Waitall(2, all, MPI_STATUSES_IGNORE, ierr)
#endif
    do i = 1, 5
       call MPI_Request_free(all(i), ierr)
    end do
  end subroutine persistent

  subroutine probes
    HANDLE(MPI_Request) :: requests(4), received
    HANDLE(MPI_Message) :: message
    integer :: i
    logical :: flag
    do i = 1, 4
       call MPI_Isend(numbers, N(i), MPI_INTEGER, right, 30 + i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    call MPI_Probe(left, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(more, N(16), MPI_INTEGER, left, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    flag = .false.
    do while (.not. flag)
       call MPI_Iprobe(left, 32, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Recv(more, N(16), MPI_INTEGER, left, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Mprobe(left, 33, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE, ierr)
    call MPI_Mrecv(more, N(16), MPI_INTEGER, message, MPI_STATUS_IGNORE, ierr)
    flag = .false.
    do while (.not. flag)
       call MPI_Improbe(left, 34, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Imrecv(more, N(16), MPI_INTEGER, message, received, ierr)
    call complete(received)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
  end subroutine probes

  subroutine outstanding(request)
    HANDLE(MPI_Request), intent(inout) :: request
    call MPI_Irecv(more, N(16), MPI_INTEGER, left, 41, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(numbers, N(1), MPI_INTEGER, right, 41, MPI_COMM_WORLD, ierr)
  end subroutine outstanding

  subroutine completion
    HANDLE(MPI_Request) :: request(1)
    STATUS_OF :: status
    integer :: place, count, places(1)
    logical :: flag
    call outstanding(request(1))
    call MPI_Waitany(1, request, place, MPI_STATUS_IGNORE, ierr)
    call outstanding(request(1))
    call MPI_Waitsome(1, request, count, places, MPI_STATUSES_IGNORE, ierr)
    call outstanding(request(1))
    flag = .false.
    do while (.not. flag)
       call MPI_Test(request(1), flag, MPI_STATUS_IGNORE, ierr)
    end do
    call outstanding(request(1))
    flag = .false.
    do while (.not. flag)
       call MPI_Testall(1, request, flag, MPI_STATUSES_IGNORE, ierr)
    end do
    call outstanding(request(1))
    flag = .false.
    do while (.not. flag)
       call MPI_Testany(1, request, place, flag, MPI_STATUS_IGNORE, ierr)
    end do
    call outstanding(request(1))
    count = 0
    do while (count == 0)
       call MPI_Testsome(1, request, count, places, MPI_STATUSES_IGNORE, ierr)
    end do
    call outstanding(request(1))
    flag = .false.
    do while (.not. flag)
       ! (Open MPI 4.1 returns at once if its status is ignored)
       call MPI_Request_get_status(request(1), flag, status, ierr)
    end do
    call complete(request(1))
    call MPI_Irecv(more, N(16), MPI_INTEGER, left, 99, MPI_COMM_WORLD, request(1), ierr)
    call MPI_Cancel(request(1), ierr)
    call complete(request(1))
  end subroutine completion

  subroutine query(state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: state
    STATUS_OF :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, 0, ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
  end subroutine query

  subroutine release(state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: state
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine release

  subroutine cancel(state, done, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: state
    logical :: done
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine cancel

  subroutine generalised
    HANDLE(MPI_Request) :: request
    call MPI_Grequest_start(query, release, cancel, 0_MPI_ADDRESS_KIND, request, ierr)
    call MPI_Grequest_complete(request, ierr)
    call complete(request)
  end subroutine generalised

#if !defined(MPI_3)
  subroutine partitioned
    HANDLE(MPI_Request) :: sent, received
    integer :: i, arrived
    logical :: flag
    call MPI_Psend_init(numbers, 6, 2_MPI_COUNT_KIND, MPI_INTEGER, right, 51, MPI_COMM_WORLD, &
         MPI_INFO_NULL, sent, ierr)
    call MPI_Precv_init(more, 3, 4_MPI_COUNT_KIND, MPI_INTEGER, left, 51, MPI_COMM_WORLD, &
         MPI_INFO_NULL, received, ierr)
    do i = 1, 2
       call MPI_Start(received, ierr)
       call MPI_Start(sent, ierr)
       call MPI_Pready(1, sent, ierr)
       call MPI_Pready_list(2, (/ 3, 2 /), sent, ierr)
       call MPI_Pready(0, sent, ierr)
       call MPI_Pready_range(4, 5, sent, ierr)
#if defined(USE_MPI)
       ! (whose module has an integer there, in MPICH 4.0.2)
       arrived = 0
       do while (arrived == 0)
          call MPI_Parrived(received, 2, arrived, ierr)
       end do
#else
       flag = .false.
       do while (.not. flag)
          call MPI_Parrived(received, 2, flag, ierr)
       end do
#endif
       call complete(received)
       call complete(sent)
    end do
    call MPI_Request_free(received, ierr)
    call MPI_Request_free(sent, ierr)
  end subroutine partitioned
#endif

  subroutine collectives
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Comm) :: all
    HANDLE(MPI_Datatype) :: ints(3)
    COUNTS :: growing(3), to_each(3), from_each(3)
    PLACES :: places(3), bytes(3)
    integer :: i
    all = MPI_COMM_WORLD
    growing = (/ 1, 2, 3 /)
    places = (/ 0, 64, 128 /)
    bytes = (/ 0, 256, 512 /)
    do i = 1, 3
       ints(i) = MPI_INTEGER
       to_each(i) = 1 + me + 2 * (i - 1)
       from_each(i) = i + 2 * me
    end do
    call MPI_Barrier(all, ierr)
    call MPI_Ibarrier(all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Barrier_init(all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Bcast(in, N(5), MPI_INTEGER, 1, all, ierr)
    call MPI_Ibcast(in, N(5), MPI_INTEGER, 1, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Bcast_init(in, N(5), MPI_INTEGER, 1, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Reduce(in, out, N(6), MPI_INTEGER, MPI_SUM, 2, all, ierr)
    call MPI_Ireduce(in, out, N(6), MPI_INTEGER, MPI_SUM, 2, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Reduce_init(in, out, N(6), MPI_INTEGER, MPI_SUM, 2, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Allreduce(in, out, N(7), MPI_INTEGER, MPI_MAX, all, ierr)
    call MPI_Iallreduce(in, out, N(7), MPI_INTEGER, MPI_MAX, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Allreduce_init(in, out, N(7), MPI_INTEGER, MPI_MAX, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Gather(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, 1, all, ierr)
    call MPI_Igather(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, 1, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Gather_init(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, 1, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Gatherv(in, N(1 + me), MPI_INTEGER, out, growing, places, MPI_INTEGER, 2, all, ierr)
    call MPI_Igatherv(in, N(1 + me), MPI_INTEGER, out, growing, places, MPI_INTEGER, 2, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Gatherv_init(in, N(1 + me), MPI_INTEGER, out, growing, places, MPI_INTEGER, 2, all, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Scatter(in, N(3), MPI_INTEGER, out, N(3), MPI_INTEGER, 0, all, ierr)
    call MPI_Iscatter(in, N(3), MPI_INTEGER, out, N(3), MPI_INTEGER, 0, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Scatter_init(in, N(3), MPI_INTEGER, out, N(3), MPI_INTEGER, 0, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Scatterv(in, growing, places, MPI_INTEGER, out, N(1 + me), MPI_INTEGER, 1, all, ierr)
    call MPI_Iscatterv(in, growing, places, MPI_INTEGER, out, N(1 + me), MPI_INTEGER, 1, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Scatterv_init(in, growing, places, MPI_INTEGER, out, N(1 + me), MPI_INTEGER, 1, all, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Allgather(in, N(4), MPI_INTEGER, out, N(4), MPI_INTEGER, all, ierr)
    call MPI_Iallgather(in, N(4), MPI_INTEGER, out, N(4), MPI_INTEGER, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Allgather_init(in, N(4), MPI_INTEGER, out, N(4), MPI_INTEGER, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Allgatherv(in, N(1 + me), MPI_INTEGER, out, growing, places, MPI_INTEGER, all, ierr)
    call MPI_Iallgatherv(in, N(1 + me), MPI_INTEGER, out, growing, places, MPI_INTEGER, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Allgatherv_init(in, N(1 + me), MPI_INTEGER, out, growing, places, MPI_INTEGER, all, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Alltoall(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, all, ierr)
    call MPI_Ialltoall(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Alltoall_init(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Alltoallv(in, to_each, places, MPI_INTEGER, out, from_each, places, MPI_INTEGER, all, ierr)
    call MPI_Ialltoallv(in, to_each, places, MPI_INTEGER, out, from_each, places, MPI_INTEGER, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Alltoallv_init(in, to_each, places, MPI_INTEGER, out, from_each, places, MPI_INTEGER, &
       all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Alltoallw(in, to_each, bytes, ints, out, from_each, bytes, ints, all, ierr)
    call MPI_Ialltoallw(in, to_each, bytes, ints, out, from_each, bytes, ints, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Alltoallw_init(in, to_each, bytes, ints, out, from_each, bytes, ints, all, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Reduce_scatter(in, out, growing, MPI_INTEGER, MPI_SUM, all, ierr)
    call MPI_Ireduce_scatter(in, out, growing, MPI_INTEGER, MPI_SUM, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Reduce_scatter_init(in, out, growing, MPI_INTEGER, MPI_SUM, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Reduce_scatter_block(in, out, N(3), MPI_INTEGER, MPI_SUM, all, ierr)
    call MPI_Ireduce_scatter_block(in, out, N(3), MPI_INTEGER, MPI_SUM, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Reduce_scatter_block_init(in, out, N(3), MPI_INTEGER, MPI_SUM, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Scan(in, out, N(8), MPI_INTEGER, MPI_SUM, all, ierr)
    call MPI_Iscan(in, out, N(8), MPI_INTEGER, MPI_SUM, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Scan_init(in, out, N(8), MPI_INTEGER, MPI_SUM, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Exscan(in, out, N(9), MPI_INTEGER, MPI_SUM, all, ierr)
    call MPI_Iexscan(in, out, N(9), MPI_INTEGER, MPI_SUM, all, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Exscan_init(in, out, N(9), MPI_INTEGER, MPI_SUM, all, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
  end subroutine collectives

  subroutine ring_neighbours
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Comm) :: ring
    COUNTS :: from_both(2), to_sides(2), from_sides(2)
    PLACES :: places(2)
    logical :: around(1)
    from_both = (/ 1 + left, 1 + right /)
    to_sides = (/ 1 + me, 4 + me /)
    from_sides = (/ 4 + left, 1 + right /)
    places = (/ 0, 64 /)
    around = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ 3 /), around, .false., ring, ierr)
    call MPI_Neighbor_allgather(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, ring, ierr)
    call MPI_Ineighbor_allgather(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, ring, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Neighbor_allgather_init(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, ring, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Neighbor_allgatherv(in, N(1 + me), MPI_INTEGER, out, from_both, places, MPI_INTEGER, ring, ierr)
    call MPI_Ineighbor_allgatherv(in, N(1 + me), MPI_INTEGER, out, from_both, places, MPI_INTEGER, ring, &
       request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Neighbor_allgatherv_init(in, N(1 + me), MPI_INTEGER, out, from_both, places, MPI_INTEGER, &
       ring, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Neighbor_alltoall(in, N(3), MPI_INTEGER, out, N(3), MPI_INTEGER, ring, ierr)
    call MPI_Ineighbor_alltoall(in, N(3), MPI_INTEGER, out, N(3), MPI_INTEGER, ring, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Neighbor_alltoall_init(in, N(3), MPI_INTEGER, out, N(3), MPI_INTEGER, ring, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Neighbor_alltoallv(in, to_sides, places, MPI_INTEGER, out, from_sides, places, &
       MPI_INTEGER, ring, ierr)
    call MPI_Ineighbor_alltoallv(in, to_sides, places, MPI_INTEGER, out, from_sides, places, &
       MPI_INTEGER, ring, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Neighbor_alltoallv_init(in, to_sides, places, MPI_INTEGER, out, from_sides, places, &
       MPI_INTEGER, ring, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Comm_free(ring, ierr)
  end subroutine ring_neighbours

  ! 0 sends to 1 and 2, 1 to 2, 2 to 0.
  subroutine graph_neighbours
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Comm) :: graph
    HANDLE(MPI_Datatype) :: ints(2)
    integer :: sources(2), targets(2), ins, outs
    COUNTS :: to_each(2), from_each(2)
    PLACES :: places(2)
    integer(kind=MPI_ADDRESS_KIND) :: far(2)
    places = (/ 0, 64 /)
    far = (/ 0, 256 /)
    ints(1) = MPI_INTEGER
    ints(2) = MPI_INTEGER
    ins = 1
    outs = 1
    select case (me)
    case (0)
       sources = 2
       targets = (/ 1, 2 /)
       outs = 2
    case (1)
       sources = 0
       targets = 2
    case default
       sources = (/ 0, 1 /)
       ins = 2
       targets = 0
    end select
    to_each = 10 * me + targets
    from_each = 10 * sources + me
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, ins, sources, MPI_UNWEIGHTED, outs, targets, &
         MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Neighbor_alltoallv(in, to_each, places, MPI_INTEGER, out, from_each, places, MPI_INTEGER, &
         graph, ierr)
    call MPI_Neighbor_alltoallw(in, to_each, far, ints, out, from_each, far, ints, graph, ierr)
    call MPI_Ineighbor_alltoallw(in, to_each, far, ints, out, from_each, far, ints, graph, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Neighbor_alltoallw_init(in, to_each, far, ints, out, from_each, far, ints, graph, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Neighbor_allgather(in, N(2), MPI_INTEGER, out, N(2), MPI_INTEGER, graph, ierr)
    call MPI_Comm_free(graph, ierr)
  end subroutine graph_neighbours

  ! A count that means something for these tasks alone.
  integer function of_root(count)
    integer, intent(in) :: count
    of_root = merge(77, count, me == 1)
  end function of_root
  integer function of_task_0(count)
    integer, intent(in) :: count
    of_task_0 = merge(count, merge(77, 0, me == 1), me == 0)
  end function of_task_0
  integer function of_task_2(count)
    integer, intent(in) :: count
    of_task_2 = merge(count, 0, me == 2)
  end function of_task_2

  subroutine between_groups
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Comm) :: half, inter
    integer :: root, mine, part
    COUNTS :: parts(2), to_others(2), from_others(2), own(2)
    PLACES :: places(2)
    places = (/ 0, 64 /)
    select case (me)
    case (0)
       root = 1
       mine = 2
       part = 3
       parts = (/ 1, 2 /)
       to_others = (/ 1, 2 /)
       from_others = (/ 3, 4 /)
       own = 4
    case (1)
       root = MPI_PROC_NULL
       mine = 3
       part = 1
       parts = 3
       to_others = 3
       from_others = 1
       own = (/ 1, 3 /)
    case default
       root = MPI_ROOT
       mine = 3
       part = 2
       parts = 3
       to_others = 4
       from_others = 2
       own = (/ 1, 3 /)
    end select
    call MPI_Comm_split(MPI_COMM_WORLD, min(me, 1), 0, half, ierr)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, merge(1, 0, me == 0), 7, inter, ierr)
    call MPI_Barrier(inter, ierr)
    call MPI_Ibarrier(inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Barrier_init(inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Bcast(in, N(of_root(5)), MPI_INTEGER, root, inter, ierr)
    call MPI_Ibcast(in, N(of_root(5)), MPI_INTEGER, root, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Bcast_init(in, N(of_root(5)), MPI_INTEGER, root, inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Reduce(in, out, N(of_root(3)), MPI_INTEGER, MPI_SUM, root, inter, ierr)
    call MPI_Ireduce(in, out, N(of_root(3)), MPI_INTEGER, MPI_SUM, root, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Reduce_init(in, out, N(of_root(3)), MPI_INTEGER, MPI_SUM, root, inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Gather(in, N(of_task_0(2)), MPI_INTEGER, out, N(of_task_2(2)), MPI_INTEGER, root, inter, ierr)
    call MPI_Igather(in, N(of_task_0(2)), MPI_INTEGER, out, N(of_task_2(2)), MPI_INTEGER, root, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Gather_init(in, N(of_task_0(2)), MPI_INTEGER, out, N(of_task_2(2)), MPI_INTEGER, root, inter, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Gatherv(in, N(of_task_0(3)), MPI_INTEGER, out, (/ N(3) /), places, MPI_INTEGER, root, inter, ierr)
    call MPI_Igatherv(in, N(of_task_0(3)), MPI_INTEGER, out, (/ N(3) /), places, MPI_INTEGER, root, inter, &
       request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Gatherv_init(in, N(of_task_0(3)), MPI_INTEGER, out, (/ N(3) /), places, MPI_INTEGER, root, &
       inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Scatter(in, N(of_task_2(4)), MPI_INTEGER, out, N(of_task_0(4)), MPI_INTEGER, root, inter, ierr)
    call MPI_Iscatter(in, N(of_task_2(4)), MPI_INTEGER, out, N(of_task_0(4)), MPI_INTEGER, root, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Scatter_init(in, N(of_task_2(4)), MPI_INTEGER, out, N(of_task_0(4)), MPI_INTEGER, root, inter, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Scatterv(in, (/ N(5) /), places, MPI_INTEGER, out, N(of_task_0(5)), MPI_INTEGER, root, inter, ierr)
    call MPI_Iscatterv(in, (/ N(5) /), places, MPI_INTEGER, out, N(of_task_0(5)), MPI_INTEGER, root, inter, &
       request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Scatterv_init(in, (/ N(5) /), places, MPI_INTEGER, out, N(of_task_0(5)), MPI_INTEGER, root, &
       inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Allgather(in, N(mine), MPI_INTEGER, out, N(5 - mine), MPI_INTEGER, inter, ierr)
    call MPI_Iallgather(in, N(mine), MPI_INTEGER, out, N(5 - mine), MPI_INTEGER, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Allgather_init(in, N(mine), MPI_INTEGER, out, N(5 - mine), MPI_INTEGER, inter, MPI_INFO_NULL, &
       request, ierr)
    call run(request)
#endif
    call MPI_Allgatherv(in, N(part), MPI_INTEGER, out, parts, places, MPI_INTEGER, inter, ierr)
    call MPI_Iallgatherv(in, N(part), MPI_INTEGER, out, parts, places, MPI_INTEGER, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Allgatherv_init(in, N(part), MPI_INTEGER, out, parts, places, MPI_INTEGER, inter, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Alltoall(in, N(mine), MPI_INTEGER, out, N(5 - mine), MPI_INTEGER, inter, ierr)
    call MPI_Ialltoall(in, N(mine), MPI_INTEGER, out, N(5 - mine), MPI_INTEGER, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Alltoall_init(in, N(mine), MPI_INTEGER, out, N(5 - mine), MPI_INTEGER, inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Alltoallv(in, to_others, places, MPI_INTEGER, out, from_others, places, MPI_INTEGER, inter, ierr)
    call MPI_Ialltoallv(in, to_others, places, MPI_INTEGER, out, from_others, places, MPI_INTEGER, &
       inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Alltoallv_init(in, to_others, places, MPI_INTEGER, out, from_others, places, &
       MPI_INTEGER, inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Allreduce(in, out, N(3), MPI_INTEGER, MPI_SUM, inter, ierr)
    call MPI_Iallreduce(in, out, N(3), MPI_INTEGER, MPI_SUM, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Allreduce_init(in, out, N(3), MPI_INTEGER, MPI_SUM, inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Reduce_scatter(in, out, own, MPI_INTEGER, MPI_SUM, inter, ierr)
    call MPI_Ireduce_scatter(in, out, own, MPI_INTEGER, MPI_SUM, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Reduce_scatter_init(in, out, own, MPI_INTEGER, MPI_SUM, inter, MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Reduce_scatter_block(in, out, N(merge(4, 2, me == 0)), MPI_INTEGER, MPI_SUM, inter, ierr)
    call MPI_Ireduce_scatter_block(in, out, N(merge(4, 2, me == 0)), MPI_INTEGER, MPI_SUM, inter, request, ierr)
    call complete(request)
#if !defined(MPI_3)
    call MPI_Reduce_scatter_block_init(in, out, N(merge(4, 2, me == 0)), MPI_INTEGER, MPI_SUM, inter, &
       MPI_INFO_NULL, request, ierr)
    call run(request)
#endif
    call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(half, ierr)
  end subroutine between_groups

  subroutine operations(win)
    HANDLE(MPI_Win), intent(in) :: win
    integer(kind=8), save :: one = 1, zero = 0, was = 0
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win, ierr)
    call MPI_Put(here, N(1), MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, N(1), MPI_INTEGER, win, ierr)
    call MPI_Get(there, N(2), MPI_INTEGER, left, 4_MPI_ADDRESS_KIND, N(2), MPI_INTEGER, win, ierr)
    call MPI_Accumulate(here, N(3), MPI_INTEGER, right, 8_MPI_ADDRESS_KIND, N(3), MPI_INTEGER, MPI_SUM, win, &
         ierr)
    call MPI_Get_accumulate(here, N(4), MPI_INTEGER, there, N(4), MPI_INTEGER, right, 8_MPI_ADDRESS_KIND, N(4), &
         MPI_INTEGER, MPI_SUM, win, ierr)
    call MPI_Get_accumulate(here, N(0), MPI_INTEGER, there, N(5), MPI_INTEGER, right, 8_MPI_ADDRESS_KIND, N(5), &
         MPI_INTEGER, MPI_NO_OP, win, ierr)
    call MPI_Fetch_and_op(here, there, MPI_INTEGER, left, 30_MPI_ADDRESS_KIND, MPI_SUM, win, ierr)
    call MPI_Compare_and_swap(one, zero, was, MPI_INTEGER8, right, 32_MPI_ADDRESS_KIND, win, ierr)
    call MPI_Put(here, N(9), MPI_INTEGER, MPI_PROC_NULL, 0_MPI_ADDRESS_KIND, N(9), MPI_INTEGER, win, ierr)
    call MPI_Win_fence(0, win, ierr)
  end subroutine operations

  subroutine locked_operations(win)
    HANDLE(MPI_Win), intent(in) :: win
    HANDLE(MPI_Request) :: request
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win, ierr)
    call MPI_Rput(here, N(1), MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, N(1), MPI_INTEGER, win, request, ierr)
    call complete(request)
    call MPI_Win_flush(right, win, ierr)
    call MPI_Win_flush_local(right, win, ierr)
    call MPI_Win_unlock(right, win, ierr)
    call MPI_Win_lock(MPI_LOCK_SHARED, left, MPI_MODE_NOCHECK, win, ierr)
    call MPI_Win_unlock(left, win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win, ierr)
    call MPI_Rget(there, N(2), MPI_INTEGER, left, 4_MPI_ADDRESS_KIND, N(2), MPI_INTEGER, win, request, ierr)
    call complete(request)
    call MPI_Raccumulate(here, N(3), MPI_INTEGER, left, 8_MPI_ADDRESS_KIND, N(3), MPI_INTEGER, MPI_SUM, win, &
         request, ierr)
    call complete(request)
    call MPI_Rget_accumulate(here, N(4), MPI_INTEGER, there, N(4), MPI_INTEGER, left, 8_MPI_ADDRESS_KIND, N(4), &
         MPI_INTEGER, MPI_SUM, win, request, ierr)
    call complete(request)
    call MPI_Win_flush_all(win, ierr)
    call MPI_Win_flush_local_all(win, ierr)
    call MPI_Win_sync(win, ierr)
    call MPI_Win_unlock_all(win, ierr)
  end subroutine locked_operations

  subroutine epochs(win)
    HANDLE(MPI_Win), intent(in) :: win
    HANDLE(MPI_Group) :: world, origins, targets
    logical :: flag
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call MPI_Group_incl(world, 1, (/ left /), origins, ierr)
    call MPI_Group_incl(world, 1, (/ right /), targets, ierr)
    call MPI_Win_post(origins, 0, win, ierr)
    call MPI_Win_start(targets, 0, win, ierr)
    call MPI_Get(there, N(1), MPI_INTEGER, 2 - right, 0_MPI_ADDRESS_KIND, N(1), MPI_INTEGER, win, ierr)
    call MPI_Win_complete(win, ierr)
    call MPI_Win_wait(win, ierr)
    call MPI_Win_post(origins, MPI_MODE_NOPUT, win, ierr)
    call MPI_Win_start(targets, 0, win, ierr)
    call MPI_Get(there, N(2), MPI_INTEGER, 2 - right, 0_MPI_ADDRESS_KIND, N(2), MPI_INTEGER, win, ierr)
    call MPI_Win_complete(win, ierr)
    flag = .false.
    do while (.not. flag)
       call MPI_Win_test(win, flag, ierr)
    end do
    call MPI_Group_free(origins, ierr)
    call MPI_Group_free(targets, ierr)
    call MPI_Group_free(world, ierr)
  end subroutine epochs

  subroutine windows
#if defined(USE_F08)
    use, intrinsic :: iso_c_binding, only : c_ptr
    type(c_ptr) :: base
#else
    integer(kind=MPI_ADDRESS_KIND) :: base
#endif
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Comm) :: mirror
    call MPI_Win_create(memory, 256_MPI_ADDRESS_KIND, P(4), MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call operations(win)
    call locked_operations(win)
    call MPI_Win_free(win, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -me, mirror, ierr)
    call MPI_Win_allocate(256_MPI_ADDRESS_KIND, P(4), MPI_INFO_NULL, mirror, base, win, ierr)
    call epochs(win)
    call MPI_Win_free(win, ierr)
    call MPI_Comm_free(mirror, ierr)
    call MPI_Win_allocate_shared(256_MPI_ADDRESS_KIND, P(4), MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call MPI_Win_free(win, ierr)
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_attach(win, memory, 256_MPI_ADDRESS_KIND, ierr)
    call MPI_Win_detach(win, memory, ierr)
    call MPI_Win_free(win, ierr)
  end subroutine windows

  subroutine topologies
    HANDLE(MPI_Comm) :: grid, rows, graph
    call MPI_Cart_create(MPI_COMM_WORLD, 2, (/ 3, 1 /), (/ .true., .false. /), .false., grid, ierr)
    call MPI_Cart_sub(grid, (/ .true., .false. /), rows, ierr)
    call MPI_Comm_free(rows, ierr)
    call MPI_Comm_free(grid, ierr)
    call MPI_Graph_create(MPI_COMM_WORLD, 3, (/ 1, 3, 4 /), (/ 1, 0, 2, 1 /), .false., graph, ierr)
    call MPI_Neighbor_allgather(here, N(1), MPI_INTEGER, there, N(1), MPI_INTEGER, graph, ierr)
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, (/ me /), (/ 1 /), (/ right /), MPI_UNWEIGHTED, &
         MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Comm_free(graph, ierr)
  end subroutine topologies

#if !defined(MPI_3)
  subroutine sessions
    HANDLE(MPI_Session) :: session
    HANDLE(MPI_Group) :: all, mine, others
    HANDLE(MPI_Comm) :: comm
#if !defined(MPI_3)
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session, ierr)
#endif
    call MPI_Group_from_session_pset(session, 'mpi://WORLD', all, ierr)
    call MPI_Comm_create_from_group(all, 'all', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm, ierr)
    call MPI_Barrier(comm, ierr)
    call MPI_Comm_disconnect(comm, ierr)
    if (me == 0) then
       call MPI_Group_incl(all, 1, (/ 0 /), mine, ierr)
       call MPI_Group_excl(all, 1, (/ 0 /), others, ierr)
    else
       call MPI_Group_excl(all, 1, (/ 0 /), mine, ierr)
       call MPI_Group_incl(all, 1, (/ 0 /), others, ierr)
    end if
    call MPI_Intercomm_create_from_groups(mine, 0, others, 0, 'two', MPI_INFO_NULL, &
         MPI_ERRORS_ARE_FATAL, comm, ierr)
    call MPI_Barrier(comm, ierr)
    call MPI_Comm_free(comm, ierr)
    call MPI_Group_free(mine, ierr)
    call MPI_Group_free(others, ierr)
    call MPI_Group_free(all, ierr)
    call MPI_Session_finalize(session, ierr)
  end subroutine sessions
#endif

  subroutine communicators
    HANDLE(MPI_Comm) :: copy, other, half, inter
    HANDLE(MPI_Group) :: all, two
    HANDLE(MPI_Request) :: request
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    call MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, other, ierr)
    call MPI_Comm_free(other, ierr)
    call MPI_Comm_idup(copy, other, request, ierr)
    call complete(request)
    call MPI_Barrier(other, ierr)
    call MPI_Comm_free(other, ierr)
#if !defined(MPI_3)
    call MPI_Comm_idup_with_info(copy, MPI_INFO_NULL, other, request, ierr)
    call complete(request)
    call MPI_Comm_free(other, ierr)
#endif
    call MPI_Comm_group(copy, all, ierr)
    call MPI_Group_incl(all, 2, (/ 0, 2 /), two, ierr)
    call MPI_Comm_create(copy, two, other, ierr)
    if (me /= 1) then
       call MPI_Comm_free(other, ierr)
       call MPI_Comm_create_group(copy, two, 3, other, ierr)
       call MPI_Comm_free(other, ierr)
    end if
    call MPI_Group_free(two, ierr)
    call MPI_Group_free(all, ierr)
    call MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, other, ierr)
    call MPI_Comm_disconnect(other, ierr)
    call MPI_Comm_split(copy, min(me, 1), 0, half, ierr)
    call MPI_Intercomm_create(half, 0, copy, merge(1, 0, me == 0), 7, inter, ierr)
    call MPI_Intercomm_merge(inter, me == 0, other, ierr)
    call MPI_Comm_free(other, ierr)
    call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(half, ierr)
    call MPI_Comm_free(copy, ierr)
    call topologies
#if !defined(MPI_3)
    call sessions
#endif
  end subroutine communicators
end module every_call

program every
  use every_call
  implicit none
#if defined(LARGE)
  integer :: provided
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
#else
  call MPI_Init(ierr)
#endif
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  right = mod(me + 1, 3)
  left = mod(me + 2, 3)
  call sends
  call exchanges
  call persistent
  call probes
  call completion
  call generalised
#if !defined(MPI_3)
  call partitioned
#endif
  call collectives
  call ring_neighbours
  call graph_neighbours
  call between_groups
  call windows
  call communicators
  call MPI_Pcontrol(2)
  call MPI_Finalize(ierr)
end program every
