/* The results of a study, in a folder that several processes on several hosts may use at once:
 *
 *   results.jsonl  one line of JSON per finished point, in the order in which they finished. Lines
 *                  are only ever added, each in one piece under a lock.
 *   study.yaml     the study that was started last.
 *
 * Locks are those of fcntl(2) on bytes of results.jsonl beyond its end: the system releases them
 * when a process ends, however it ends, and network file systems pass them between hosts. One byte
 * guards additions, one the tables, one the file itself, and each point has one that its process
 * holds while it runs. So a point is never run twice at once, and one whose process was killed is
 * free again.
 *
 * A line that was cut, because its process was killed or the disk was full, is removed by the next
 * addition. */
#ifndef VEF_STUDY_STORE_H
#define VEF_STUDY_STORE_H

#include "study/record.h"

typedef struct vef_study_store vef_study_store;

/* Opens the results in a folder, which is created, for a study; reads them. Results of another
 * version are refused (VEF_VERSION) or, with `set_aside`, moved to results-VERSION.jsonl. A
 * different study is refused (VEF_UNSUPPORTED) while a process uses the folder. */
vef_code vef_study_store_open(const char *folder, vef_study *study, const char *version,
                              bool set_aside, vef_study_store **store, vef_error *error);
void vef_study_store_close(vef_study_store *store); /* NULL is fine */

/* Reads the lines that were added meanwhile. */
vef_code vef_study_store_refresh(vef_study_store *store, vef_error *error);

/* The number of lines read. */
size_t vef_study_store_lines(const vef_study_store *store);

/* The last result of a point that is of the present contents of the files that it read; NULL: none.
 * Valid until the store is closed. */
const vef_study_record *vef_study_store_find(const vef_study_store *store,
                                             const vef_study_point *point);

/* The file whose content is another one than in all results of the point; NULL: it has a result
 * that counts, or none at all. */
const char *vef_study_store_changed(const vef_study_store *store, const vef_study_point *point);

/* Takes the lock of a point; false: another process holds it. */
vef_code vef_study_store_claim(vef_study_store *store, const vef_study_point *point, bool *claimed,
                               vef_error *error);
void vef_study_store_yield(vef_study_store *store, const vef_study_point *point);

/* Takes the lock of the tables in the folder, waiting for it, and reads the lines that were added:
 * the last process to write the tables has all of them. */
vef_code vef_study_store_lock_tables(vef_study_store *store, vef_error *error);
void vef_study_store_unlock_tables(vef_study_store *store);

/* Adds a result; on failure (a full disk) the file is as before. */
vef_code vef_study_store_add(vef_study_store *store, const vef_study_point *point,
                             const vef_study_outcome *outcome, vef_error *error);

#endif
