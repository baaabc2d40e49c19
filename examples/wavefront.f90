! wavefront: implicit sweeps through a cube, in the pipeline of NAS LU and Sweep3D.
!
! The cube is divided among a grid of tasks in x and y; every task has all planes z. In a lower sweep a
! task may relax its part of a plane when its western and northern neighbours have sent their borders
! of that plane, and then sends its own on to the east and south: a front runs across the tasks, one
! plane behind the other, in many small blocking messages. An upper sweep runs the other way. Each
! point holds five values, as in LU.
!
! Check: value m starts as g = r^x s^y t^z with its own r, s, t. A lower sweep computes
!     u(x,y,z) <- W (r u(x-1,y,z) + s u(x,y-1,z) + t u(x,y,z-1)) / 3 + (1 - W) q u(x,y,z)
! from new neighbours and the old value, and an upper sweep the same from the other side with 1/r, 1/s,
! 1/t; with q g times the former amplitude on the border, the outcome of each sweep is q times what was
! there. Lower sweeps have q = 0.8 and upper ones 1.2, so a message of another sweep or plane shows.
program wavefront
    use mpi
    use, intrinsic :: iso_fortran_env, only: error_unit, real64
    implicit none

    integer, parameter :: values = 5
    real(real64), parameter :: weight = 0.5_real64, q_lower = 0.8_real64, q_upper = 1.2_real64
    integer :: side = 64, iterations = 10
    integer :: rank, tasks, grid, ierror, shape(2), place(2), west, east, north, south
    integer :: x0, y0, nx, ny, iteration
    real(real64), allocatable :: u(:, :, :, :), gx(:, :), gy(:, :), gz(:, :), border_x(:, :), border_y(:, :)
    real(real64) :: ratio(values, 3), amplitude, start, seconds
    logical :: right, all_right

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierror)
    call read_options()
    call divide()
    call fill()

    call MPI_Barrier(grid, ierror)
    start = MPI_Wtime()
    amplitude = 1
    do iteration = 1, iterations
        call sweep(.true., q_lower)
        call sweep(.false., q_upper)
    end do
    seconds = MPI_Wtime() - start

    right = is_right()
    call MPI_Allreduce(right, all_right, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
    if (rank == 0) call report()
    call MPI_Comm_free(grid, ierror)
    call MPI_Finalize(ierror)
    if (.not. all_right) stop 1

contains

    subroutine read_options()
        character(len=64) :: name, text
        integer :: i, problem, number
        i = 1
        do while (i <= command_argument_count())
            call get_command_argument(i, name)
            if (name == '-h' .or. name == '--help') then
                if (rank == 0) then
                    print '(a)', 'wavefront: sweeps through a cube, any number of tasks'
                    print '(a)', '  -n N  side of the cube, 1 to 1024 (64)'
                    print '(a)', '  -i N  iterations of two sweeps, 1 to 10000 (10)'
                end if
                call MPI_Finalize(ierror)
                stop
            end if
            if (name /= '-n' .and. name /= '-i') &
                call refuse("unknown option '"//trim(name)//"'; -h lists the options")
            if (i == command_argument_count()) call refuse('option '//trim(name)//' lacks its value')
            call get_command_argument(i + 1, text)
            read (text, '(i20)', iostat=problem) number
            if (name == '-n') then
                if (problem /= 0 .or. number < 1 .or. number > 1024) &
                    call refuse('-n '//trim(text)//': the side of the cube goes from 1 to 1024')
                side = number
            else
                if (problem /= 0 .or. number < 1 .or. number > 10000) &
                    call refuse('-i '//trim(text)//': the iterations go from 1 to 10000')
                iterations = number
            end if
            i = i + 2
        end do
    end subroutine

    ! Says why the program does not run and ends all tasks with status 2; every task calls it.
    subroutine refuse(why)
        character(len=*), intent(in) :: why
        if (rank == 0) write (error_unit, '(2a)') 'wavefront: ', why
        call MPI_Finalize(ierror)
        stop 2, quiet=.true.
    end subroutine

    ! The grid of tasks, its longer side along x, and this task's part: x0 + 1 to x0 + nx, y alike.
    subroutine divide()
        integer :: longer
        character(len=80) :: text
        shape = 0
        call MPI_Dims_create(tasks, 2, shape, ierror)
        if (shape(1) > side) then
            write (text, '(i0, a, i0, a)') tasks, ' tasks need a cube of side ', shape(1), ' or more (-n)'
            call refuse(trim(text))
        end if
        longer = shape(1)
        shape(1) = shape(2)
        shape(2) = longer
        call MPI_Cart_create(MPI_COMM_WORLD, 2, shape, [.false., .false.], .false., grid, ierror)
        call MPI_Comm_rank(grid, rank, ierror)
        call MPI_Cart_coords(grid, rank, 2, place, ierror)
        call MPI_Cart_shift(grid, 1, 1, west, east, ierror)
        call MPI_Cart_shift(grid, 0, 1, north, south, ierror)
        x0 = share(place(2), shape(2))
        nx = share(place(2) + 1, shape(2)) - x0
        y0 = share(place(1), shape(1))
        ny = share(place(1) + 1, shape(1)) - y0
    end subroutine

    integer function share(part, parts)
        integer, intent(in) :: part, parts
        share = side/parts*part + min(part, mod(side, parts))
    end function

    ! Ratios differ from value to value and keep g between 1/8 and 8 whatever the side.
    subroutine fill()
        integer :: m, x, y, z
        do m = 1, values
            ratio(m, 1) = exp(0.3_real64*(m - 3)/(side + 1))
            ratio(m, 2) = exp(0.2_real64*(4 - m)/(side + 1))
            ratio(m, 3) = exp((0.5_real64 - 0.1_real64*m)/(side + 1))
        end do
        allocate (u(values, 0:nx + 1, 0:ny + 1, 0:side + 1))
        allocate (gx(values, 0:nx + 1), gy(values, 0:ny + 1), gz(values, 0:side + 1))
        allocate (border_x(values, ny), border_y(values, nx))
        do x = 0, nx + 1
            gx(:, x) = ratio(:, 1)**(x0 + x)
        end do
        do y = 0, ny + 1
            gy(:, y) = ratio(:, 2)**(y0 + y)
        end do
        do z = 0, side + 1
            gz(:, z) = ratio(:, 3)**z
        end do
        u = 0
        do z = 1, side
            do y = 1, ny
                do x = 1, nx
                    u(:, x, y, z) = gx(:, x)*gy(:, y)*gz(:, z)
                end do
            end do
        end do
    end subroutine

    ! One sweep from the low corner to the high one, or back; multiplies the solution by q.
    subroutine sweep(lower, q)
        logical, intent(in) :: lower
        real(real64), intent(in) :: q
        real(real64) :: cx(values), cy(values), cz(values)
        integer :: step, plane, x, y, z
        amplitude = amplitude*q
        if (lower) then
            step = 1
            cx = weight*ratio(:, 1)/3
            cy = weight*ratio(:, 2)/3
            cz = weight*ratio(:, 3)/3
        else
            step = -1
            cx = weight/(3*ratio(:, 1))
            cy = weight/(3*ratio(:, 2))
            cz = weight/(3*ratio(:, 3))
        end if
        z = merge(0, side + 1, lower)
        do y = 1, ny
            do x = 1, nx
                u(:, x, y, z) = amplitude*gx(:, x)*gy(:, y)*gz(:, z)
            end do
        end do
        do plane = 1, side
            z = merge(plane, side + 1 - plane, lower)
            call receive_borders(lower, z)
            do y = merge(1, ny, lower), merge(ny, 1, lower), step
                do x = merge(1, nx, lower), merge(nx, 1, lower), step
                    u(:, x, y, z) = cx*u(:, x - step, y, z) + cy*u(:, x, y - step, z) + &
                                    cz*u(:, x, y, z - step) + (1 - weight)*q*u(:, x, y, z)
                end do
            end do
            call send_borders(lower, z)
        end do
    end subroutine

    ! The borders of plane z against the sweep: from the neighbours, or known where the cube ends.
    subroutine receive_borders(lower, z)
        logical, intent(in) :: lower
        integer, intent(in) :: z
        integer :: x, y, from_x, from_y
        from_x = merge(west, east, lower)
        from_y = merge(north, south, lower)
        x = merge(0, nx + 1, lower)
        if (from_x == MPI_PROC_NULL) then
            do y = 1, ny
                u(:, x, y, z) = amplitude*gx(:, x)*gy(:, y)*gz(:, z)
            end do
        else
            call MPI_Recv(border_x, size(border_x), MPI_DOUBLE_PRECISION, from_x, 1, grid, &
                          MPI_STATUS_IGNORE, ierror)
            u(:, x, 1:ny, z) = border_x
        end if
        y = merge(0, ny + 1, lower)
        if (from_y == MPI_PROC_NULL) then
            do x = 1, nx
                u(:, x, y, z) = amplitude*gx(:, x)*gy(:, y)*gz(:, z)
            end do
        else
            call MPI_Recv(border_y, size(border_y), MPI_DOUBLE_PRECISION, from_y, 2, grid, &
                          MPI_STATUS_IGNORE, ierror)
            u(:, 1:nx, y, z) = border_y
        end if
    end subroutine

    subroutine send_borders(lower, z)
        logical, intent(in) :: lower
        integer, intent(in) :: z
        integer :: to_x, to_y
        to_x = merge(east, west, lower)
        to_y = merge(south, north, lower)
        if (to_x /= MPI_PROC_NULL) then
            border_x = u(:, merge(nx, 1, lower), 1:ny, z)
            call MPI_Send(border_x, size(border_x), MPI_DOUBLE_PRECISION, to_x, 1, grid, ierror)
        end if
        if (to_y /= MPI_PROC_NULL) then
            border_y = u(:, 1:nx, merge(ny, 1, lower), z)
            call MPI_Send(border_y, size(border_y), MPI_DOUBLE_PRECISION, to_y, 2, grid, ierror)
        end if
    end subroutine

    logical function is_right()
        integer :: x, y, z
        real(real64) :: expected(values)
        is_right = .true.
        do z = 1, side
            do y = 1, ny
                do x = 1, nx
                    expected = amplitude*gx(:, x)*gy(:, y)*gz(:, z)
                    is_right = is_right .and. all(abs(u(:, x, y, z) - expected) <= 1e-10_real64*expected)
                end do
            end do
        end do
    end function

    subroutine report()
        character(len=28) :: size_text
        write (size_text, '(i0, a, i0, a)') side, '^3, ', iterations, ' iterations'
        print '(a9, 2x, a28, 2x, i4, a, f8.3, a, a)', 'wavefront', size_text, tasks, ' tasks  ', seconds, &
            ' s  ', trim(merge('verified', 'FAILED  ', all_right))
    end subroutine
end program
