/* The plainest program: messages whose sums are checked. Arguments: rounds; "weak": which weak
 * functions are defined. Compiled also without a position-independent executable, with sanitizers
 * and linked with wrappers. */
#include "harmless.h"

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    begin(&argc, &argv);
    printf("task %d of %d\n", me, tasks);
    talk(rounds);
    return finish();
}
