/* Two tasks make calls that are only counted: files, datatypes, attributes. Each makes every
 * call as often as the table says. Calls that MPICH makes inside them must not be counted; calls
 * that the program makes inside them must. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The attribute of a communicator is another, which goes with it. */
static int free_attribute(MPI_Comm comm, int key, void *value, void *state) {
    MPI_Comm copy = *(MPI_Comm *)value;
    (void)comm, (void)key, (void)state;
    return MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
    int me, key, old_key;
    char path[4096];
    MPI_File file;
    MPI_Datatype columns, rows;
    MPI_Comm copy, mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me); /* not wrapped */
    MPI_Send(&me, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);

    MPI_Type_vector(2, 1, 3, MPI_INT, &columns); /* 2 */
    MPI_Type_vector(2, 1, 3, columns, &rows);
    MPI_Type_free(&columns); /* 2 */
    MPI_Type_free(&rows);

    snprintf(path, sizeof path, "%s/counted.data", getenv("TMPDIR"));
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);                                                       /* 1 */
    MPI_File_set_view(file, me * 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); /* 1 */
    MPI_File_write_all(file, &me, 1, MPI_INT, MPI_STATUS_IGNORE);               /* 1 */
    MPI_File_close(&file);                                                      /* 1 */

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_attribute, &key, NULL); /* 1 */
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_dup(MPI_COMM_SELF, &mine);
    MPI_Comm_set_attr(copy, key, &mine); /* 1 */
    MPI_Comm_free(&copy);                /* and `mine` before it */

    /* MPICH makes these out of their successors. */
    MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &old_key, NULL); /* 1 */
    MPI_Attr_put(MPI_COMM_WORLD, old_key, &me);                              /* 1 */
    MPI_Keyval_free(&old_key);                                               /* 1 */
    MPI_Finalize();
    return 0;
}
