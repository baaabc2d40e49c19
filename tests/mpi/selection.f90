! Regions from Fortran, by vef.f90.
program selection
    use mpi
    use vef
    implicit none
    integer :: error
    call MPI_Init(error)
    call vef_region_begin('a part   ')
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call vef_region_end('a part')
    call vef_mark('a moment')
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
end program selection
