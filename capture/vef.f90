! Naming parts of an MPI program for `vef capture`, in Fortran: see vef.h. Compile this file with the
! program's own:
!
!     use vef
!     call vef_region_begin('solver')
!     …
!     call vef_region_end('solver')
!     call vef_mark('converged')
!
! Nothing is linked for it: dlsym, by which it asks whether the capture library has been loaded, is
! in the C library (glibc 2.34 and later; before, -ldl). Blanks at the end of a name do not count.
module vef
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_int, c_null_char, c_null_ptr, c_ptr
    implicit none
    private
    public :: vef_region_begin, vef_region_end, vef_mark

    abstract interface
        subroutine tell_function(what, name) bind(C)
            import :: c_char, c_int
            integer(c_int), value :: what
            character(kind=c_char), intent(in) :: name(*)
        end subroutine tell_function
    end interface

    interface
        function find(handle, name) bind(C, name='dlsym')
            import :: c_char, c_funptr, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: find
        end function find
    end interface

    logical, save :: asked = .false.
    procedure(tell_function), pointer, save :: tell => null()

contains

    subroutine vef_region_begin(name)
        character(*), intent(in) :: name
        call tell_region(0, name)
    end subroutine vef_region_begin

    subroutine vef_region_end(name)
        character(*), intent(in) :: name
        call tell_region(1, name)
    end subroutine vef_region_end

    subroutine vef_mark(name)
        character(*), intent(in) :: name
        call tell_region(2, name)
    end subroutine vef_mark

    subroutine tell_region(what, name)
        integer, intent(in) :: what
        character(*), intent(in) :: name
        type(c_funptr) :: found
        if (.not. asked) then
            found = find(c_null_ptr, 'vef_capture_region' // c_null_char)
            if (c_associated(found)) call c_f_procpointer(found, tell)
            asked = .true.
        end if
        if (associated(tell)) call tell(int(what, c_int), trim(name) // c_null_char)
    end subroutine tell_region

end module vef
