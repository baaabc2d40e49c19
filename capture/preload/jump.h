/* Replacements that jump: each calls a C function, with the first two arguments and the return
 * address, and returns its result if it gives one. Else it jumps to a function whose address is in
 * a variable, with the arguments and the return address of its own caller, as if it had not been
 * there. For functions of up to four arguments in general registers. */
#ifndef VEF_CAPTURE_PRELOAD_JUMP_H
#define VEF_CAPTURE_PRELOAD_JUMP_H

#include <stdint.h>

/* What such a C function returns, in two registers. */
typedef struct vef_answer {
    uintptr_t given;
    void *result; /* if `given` is not 0 */
} vef_answer;

#if defined(__x86_64__)
#define VEF_JUMP_BODY(answer, target)                                                              \
    "\tendbr64\n\tpushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\tpushq %rcx\n\tsubq $8, %rsp\n"         \
    "\t.cfi_adjust_cfa_offset 40\n\tmovq 40(%rsp), %rdx\n\tcall " #answer                          \
    "\n\taddq $8, %rsp\n"                                                                          \
    "\tmovq %rdx, %r11\n\tpopq %rcx\n\tpopq %rdx\n\tpopq %rsi\n\tpopq %rdi\n"                      \
    "\t.cfi_adjust_cfa_offset -40\n\ttestq %rax, %rax\n\tje 1f\n\tmovq %r11, %rax\n\tret\n"        \
    "1:\tjmp *" #target "(%rip)\n"
#elif defined(__aarch64__)
#define VEF_JUMP_BODY(answer, target)                                                              \
    "\thint #34\n\tstp x29, x30, [sp, #-48]!\n\t.cfi_def_cfa_offset 48\n\t.cfi_offset 29, -48\n"   \
    "\t.cfi_offset 30, -40\n\tmov x29, sp\n\tstp x0, x1, [sp, #16]\n\tstp x2, x3, [sp, #32]\n"     \
    "\tmov x2, x30\n\tbl " #answer                                                                 \
    "\n\tmov x16, x0\n\tmov x17, x1\n\tldp x0, x1, [sp, #16]\n"                                    \
    "\tldp x2, x3, [sp, #32]\n\tldp x29, x30, [sp], #48\n\t.cfi_def_cfa_offset 0\n"                \
    "\tcbz x16, 1f\n\tmov x0, x17\n\tret\n1:\tadrp x16, " #target                                  \
    "\n"                                                                                           \
    "\tldr x16, [x16, #:lo12:" #target "]\n\tbr x16\n"
#else
#error "vef capture supports x86-64 and 64-bit Arm"
#endif

/* Defines the function `name`, the variable `target`, and declares `answer`. */
#define VEF_JUMP(name, answer, target)                                                             \
    void (*target)(void) __attribute__((visibility("hidden")));                                    \
    vef_answer answer(void *first, void *second, const void *caller)                               \
        __attribute__((visibility("hidden")));                                                     \
    void name(void) __attribute__((visibility("hidden")));                                         \
    __asm__(".text\n\t.p2align 4\n\t.globl " #name "\n\t.hidden " #name "\n\t.type " #name         \
            ", @function\n" #name                                                                  \
            ":\n\t.cfi_startproc\n" VEF_JUMP_BODY(answer, target) "\t.cfi_endproc\n\t.size " #name \
                                                                  ", .-" #name "\n")

#endif
