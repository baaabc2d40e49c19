/* A program without MPI that prints its state, as a child of another program: state PART...
 * (environment, descriptors, files: descriptors of files; signals, limits, attributes, arguments).
 */
#include "state.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "environment") == 0)
            print_environment();
        else if (strcmp(argv[i], "descriptors") == 0 || strcmp(argv[i], "files") == 0)
            print_descriptors(argv[i][0] == 'f');
        else if (strcmp(argv[i], "signals") == 0)
            print_signals();
        else if (strcmp(argv[i], "limits") == 0)
            print_limits();
        else if (strcmp(argv[i], "attributes") == 0)
            print_attributes();
        else if (strcmp(argv[i], "arguments") == 0)
            for (int k = 0; k < argc; k++)
                printf("argument %d: %s\n", k,
                       k == 0 && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[k]);
    }
    return fflush(stdout) != 0;
}
