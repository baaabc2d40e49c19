/* What jobs did to a network: the latencies of each one's messages, and the phits of each on every
 * link. From the events of a replay. */
#ifndef VEF_REPLAY_JOBS_FIGURES_H
#define VEF_REPLAY_JOBS_FIGURES_H

#include "netmodel/latency.h"
#include "replay/events.h"
#include "replay/jobs/nodes.h"

enum { VEF_MOST_JOB_LINKS = 1 << 25 }; /* links x jobs: 256 MiB */

typedef struct vef_job_figures {
    vef_listener listener; /* for the options of the replay */
    uint32_t jobs;         /* background traffic included, which comes last */
    uint32_t programs;     /* the number of the others */
    const vef_netmodel *network;
    const vef_job_nodes *nodes; /* the owner of a node is the job that sends */
    uint32_t only;        /* the one job that sends, whatever the owners; VEF_NOBODY: several do */
    vef_latency *latency; /* [jobs]: of data in the network, from the time of sending */
    size_t links;         /* router * ports + port; 0: not counted */
    uint64_t *phits;      /* [links * jobs], by link, then by job */
    /* By the id of a message in the network: its job, and when it was sent. */
    struct vef_job_message {
        uint64_t sent_ps;
        uint32_t job;
    } * messages;
    size_t message_room;
} vef_job_figures;

/* Ready for a replay on `network`; it must not move. `links`: count them, if the network can be
 * watched (then it must not be split) and they are not too many. Release it in any case. */
void vef_job_figures_begin(vef_job_figures *figures, uint32_t jobs, uint32_t programs,
                           const vef_job_nodes *nodes, vef_netmodel *network, bool links);
void vef_job_figures_release(vef_job_figures *figures); /* zeroed is fine */

/* Phits of a job over all links, and those of them on links that another job used too; the number
 * of such links. */
typedef struct vef_job_sharing {
    uint64_t phits, shared_phits;
    size_t shared_links;
} vef_job_sharing;
vef_job_sharing vef_job_figures_share(const vef_job_figures *figures, uint32_t job, uint32_t other);

/* The links used by several jobs that carried the most phits, at most `most`, into `found`; returns
 * their number. Of equal ones the first. */
size_t vef_job_figures_busiest(const vef_job_figures *figures, size_t most, size_t *found);

#endif
