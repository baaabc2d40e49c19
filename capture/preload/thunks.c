/* The functions that the preloaded library interposes: each jumps to the function in its slot, or,
 * while that is empty, to vef_preload_first, which fills it (slots.h). All registers that hold
 * arguments are left as they are, and so is the return address, by which a wrapper recognises its
 * caller.
 *
 * No MPI function has parameters in floating-point registers, except MPI_Pcontrol, whose further
 * arguments wrappers ignore. */
#include "capture/preload/slots.h"

#define TEXT(number) #number

#if defined(__x86_64__)
#define JUMP(slot)                                                                                 \
    "\tmovq vef_preload_slots+8*" TEXT(slot) "(%rip), %r11\n"                                      \
    "\ttestq %r11, %r11\n"                                                                         \
    "\tje 1f\n"                                                                                    \
    "\tjmp *%r11\n"                                                                                \
    "1:\tmovl $" TEXT(slot) ", %r11d\n"                                                            \
    "\tjmp vef_preload_fill\n"
#define ENTRY "\tendbr64\n"
/* Seven registers: the stack is aligned again. */
#define FILL                                                                                       \
    "\tpushq %rax\n\tpushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\tpushq %rcx\n\tpushq %r8\n"          \
    "\tpushq %r9\n\t.cfi_adjust_cfa_offset 56\n"                                                   \
    "\tmovl %r11d, %edi\n\tcall vef_preload_first\n\tmovq %rax, %r11\n"                            \
    "\tpopq %r9\n\tpopq %r8\n\tpopq %rcx\n\tpopq %rdx\n\tpopq %rsi\n\tpopq %rdi\n\tpopq %rax\n"    \
    "\t.cfi_adjust_cfa_offset -56\n\tjmp *%r11\n"
#elif defined(__aarch64__)
#define JUMP(slot)                                                                                 \
    "\tadrp x16, vef_preload_slots+8*" TEXT(slot) "\n"                                             \
    "\tldr x16, [x16, #:lo12:vef_preload_slots+8*" TEXT(slot) "]\n"                                \
    "\tcbz x16, 1f\n"                                                                              \
    "\tbr x16\n"                                                                                   \
    "1:\tmov w17, #" TEXT(slot) "\n"                                                               \
    "\tb vef_preload_fill\n"
#define ENTRY "\thint #34\n" /* bti c */
#define FILL                                                                                       \
    "\tstp x29, x30, [sp, #-96]!\n\t.cfi_def_cfa_offset 96\n\t.cfi_offset 29, -96\n"               \
    "\t.cfi_offset 30, -88\n\tmov x29, sp\n\tstp x0, x1, [sp, #16]\n\tstp x2, x3, [sp, #32]\n"     \
    "\tstp x4, x5, [sp, #48]\n\tstp x6, x7, [sp, #64]\n\tstr x8, [sp, #80]\n\tmov w0, w17\n"       \
    "\tbl vef_preload_first\n\tmov x16, x0\n\tldp x0, x1, [sp, #16]\n\tldp x2, x3, [sp, #32]\n"    \
    "\tldp x4, x5, [sp, #48]\n\tldp x6, x7, [sp, #64]\n\tldr x8, [sp, #80]\n"                      \
    "\tldp x29, x30, [sp], #96\n\t.cfi_def_cfa_offset 0\n\tbr x16\n"
#else
#error "vef capture supports x86-64 and 64-bit Arm"
#endif

/* A function, which is global: only what C declares is hidden. */
#define FUNCTION(name, body)                                                                       \
    __asm__(".text\n\t.p2align 4\n\t.type " #name ", @function\n" #name                            \
            ":\n\t.cfi_startproc\n" ENTRY body "\t.cfi_endproc\n\t.size " #name ", .-" #name "\n")
#define EXPORT(name) __asm__("\t.globl " #name "\n")

FUNCTION(vef_preload_fill, FILL);

#define HOOK(slot, name)                                                                           \
    FUNCTION(name, JUMP(slot));                                                                    \
    EXPORT(name);
#include "capture/preload/hooks.def"
#undef HOOK

/* Under both names. */
#define CALL(number, name, ...)                                                                    \
    FUNCTION(MPI_##name, JUMP(number));                                                            \
    EXPORT(MPI_##name);                                                                            \
    __asm__(                                                                                       \
        "\t.globl P"                                                                               \
        "MPI_" #name                                                                               \
        "\n\t.set P"                                                                               \
        "MPI_" #name ", MPI_" #name "\n");
#define REGION(number, name)
#include "traces/calls.def"
