/* Running the command of `vef capture`: see launch.h. */
#include "cli/capture/launch.h"

#include "cli/capture/words.h"
#include "cli/installed.h"
#include "cli/interrupt.h"
#include "common/memory.h"
#include "common/system/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

vef_code vef_launch_library(char *path, size_t bytes, vef_error *error) {
    char resolved[VEF_INSTALLED_BYTES];
    if (vef_installed_find("libvefcapture.so", "VEF_LIBRARY", resolved, error) != VEF_OK)
        return error->code;
    const char *name = strrchr(resolved, '/') + 1;
    if (strpbrk(resolved, ":;") != NULL || strchr(name, ' ') != NULL)
        return vef_fail(error, VEF_INVALID,
                        "%s: expected a path without colon or semicolon and a name without space, "
                        "for LD_PRELOAD: set VEF_LIBRARY to a copy",
                        resolved);
    if (strlen(resolved) >= bytes)
        return vef_fail(error, VEF_INVALID, "%s: path too long", resolved);
    strcpy(path, resolved);
    return VEF_OK;
}

/* `waits`: options with which the command waits for its job. `passes`: the option with which the
 * job gets the environment; "": always, NULL: never. */
static const struct {
    const char *name, *verb, *waits[5], *passes;
} queues_of[] = {
    {"sbatch", NULL, {"--wait", "-W"}, ""},
    {"bsub", NULL, {"-K", "-I", "-Ip", "-Is"}, ""},
    {"flux", "batch", {"--wait"}, ""},
    {"flux", "submit", {"--wait"}, ""},
    {"qsub", NULL, {"-sync", "block=true", "-Wblock=true"}, "-V"},
    {"condor_submit", NULL, {NULL}, NULL},
    {"at", NULL, {NULL}, NULL}, /* set-user-ID: the loader removes LD_PRELOAD */
    {"batch", NULL, {NULL}, NULL},
};

vef_code vef_launch_queues(char *const *command, bool *queues, vef_error *error) {
    const char *name = vef_word_name(command[0]);
    *queues = false;
    for (size_t i = 0; i < sizeof queues_of / sizeof *queues_of; i++) {
        const char *verb = queues_of[i].verb, *passes = queues_of[i].passes;
        if (strcmp(name, queues_of[i].name) != 0 ||
            (verb != NULL && (command[1] == NULL || strcmp(command[1], verb) != 0)))
            continue;
        if (passes == NULL ||
            (*passes != '\0' && !vef_words_have(command, (const char *[]){passes, NULL})))
            return vef_fail(error, VEF_INVALID,
                            "%s does not pass LD_PRELOAD on to its job: expected %s%svef capture "
                            "inside the job",
                            name, passes != NULL ? passes : "", passes != NULL ? ", or " : "");
        *queues = !vef_words_have(command, queues_of[i].waits);
    }
    return VEF_OK;
}

/* ---- the environment of the command ---- */

/* Tasks need LD_PRELOAD and VEF_CAPTURE_*. Launchers have options that set LD_PRELOAD for the tasks
 * (mpirun -x, mpiexec -genv, srun --export), that list the variables which tasks get, or that clear
 * the environment (env -i). A library that the user preloads stays in front of ours, which may come
 * at any place: runtimes of sanitizers must be the first. */

enum { MOST_VARIABLES = 32, WORDS_FOR_ONE = 2 * MOST_VARIABLES + 1 };

/* A variable that tasks need. Other entries of a list stay, between `first` and `last`. */
typedef struct variable {
    char *name;
    const char *first, *last;
    bool list, was_set;
} variable;

typedef struct needed {
    variable variables[MOST_VARIABLES];
    size_t count;
} needed;

typedef struct words {
    char **list;
    size_t count;
} words;

static void add(words *to, char *word) {
    to->list[to->count++] = word;
}

/* The two texts with a separator between them, unless one is empty. */
static char *join(const char *one, const char *separator, const char *other) {
    const bool both = *one != '\0' && *other != '\0';
    return vef_printed("%s%s%s", one, both ? separator : "", other);
}

/* NAME=VALUE, with `others` as the rest of the list. */
static char *assignment(const variable *assigned, const char *others) {
    const char *first = assigned->first, *last = assigned->last;
    return vef_printed("%s=%s%s%s%s%s", assigned->name, first,
                       *first && (*others || *last) ? ":" : "", others, *others && *last ? ":" : "",
                       last);
}

/* The variable whose name the first `length` bytes are. */
static const variable *find(const needed *needs, const char *text, size_t length) {
    for (size_t i = 0; i < needs->count; i++)
        if (strlen(needs->variables[i].name) == length &&
            strncmp(needs->variables[i].name, text, length) == 0)
            return &needs->variables[i];
    return NULL;
}

#ifdef __SANITIZE_ADDRESS__
/* This build needs the runtime of AddressSanitizer loaded first. Leaks of MPI itself are ignored,
 * and faults of the program must reach the program. */
static const char own_options[] = "detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0";

static int find_runtime(struct dl_phdr_info *object, size_t size, void *path) {
    (void)size;
    if (strstr(object->dlpi_name, "/libasan.so") == NULL)
        return 0;
    *(const char **)path = object->dlpi_name;
    return 1;
}

static const char *runtime(void) {
    const char *path = "";
    dl_iterate_phdr(find_runtime, &path);
    return path;
}
#else
static const char own_options[] = "";

static const char *runtime(void) {
    return "";
}
#endif

static bool need(needed *needs, variable wanted) {
    const char *former = getenv(wanted.name);
    if (needs->count == MOST_VARIABLES)
        return false;
    wanted.was_set = former != NULL;
    if (wanted.list)
        putenv(assignment(&wanted, former != NULL ? former : ""));
    needs->variables[needs->count++] = wanted;
    return true;
}

/* Spaces separate the entries of LD_PRELOAD: a library in a folder with a space in its name is
 * preloaded by name, and the folder added to LD_LIBRARY_PATH, where only colons separate. */
static bool need_library(needed *needs, const char *library) {
    variable preload = {"LD_PRELOAD", runtime(), library, true, false};
    if (strchr(library, ' ') != NULL) {
        preload.last = strrchr(library, '/') + 1;
        char *folder = vef_strndup(library, (size_t)(preload.last - library) - 1);
        if (!need(needs, (variable){"LD_LIBRARY_PATH", folder, "", true, false}))
            return false;
    }
    return need(needs, preload) &&
           (*own_options == '\0' ||
            need(needs, (variable){"ASAN_OPTIONS", "", own_options, true, false}));
}

/* VEF_CAPTURE_*, of which some are options of this command. */
static bool need_settings(needed *needs, const char *const *variables) {
    for (size_t i = 0; variables[i] != NULL; i++)
        putenv((char *)(uintptr_t)variables[i]);
    for (char **set = environ; *set != NULL; set++) {
        const size_t length = strcspn(*set, "=");
        if (strncmp(*set, "VEF_CAPTURE_", 12) != 0)
            continue;
        char *name = vef_strndup(*set, length);
        if (!need(needs, (variable){name, *set + length + 1, "", false, false}))
            return false;
    }
    return true;
}

/* A list of entries NAME or NAME=VALUE, in which lists of libraries get ours; `complete`: appends
 * the names of variables that it lacks; `also_here`: sets edited ones in this process too, unless
 * they were set. */
static char *edit(const needed *needs, const char *list, const char *separator, bool complete,
                  bool also_here) {
    char *text = vef_strdup("");
    bool has[MOST_VARIABLES] = {false};
    for (bool more = *list != '\0'; more;) {
        const size_t length = *separator != '\0' ? strcspn(list, separator) : strlen(list);
        char *entry = vef_strndup(list, length);
        const size_t name = strcspn(entry, "=");
        const variable *found = find(needs, entry, name);
        if (found != NULL) {
            has[found - needs->variables] = true;
            if (found->list && entry[name] == '=') {
                entry = assignment(found, entry + name + 1);
                if (also_here && !found->was_set)
                    putenv(entry);
            }
        }
        text = join(text, separator, entry);
        more = list[length] != '\0';
        list += length + more;
    }
    for (size_t i = 0; complete && i < needs->count; i++)
        if (!has[i])
            text = join(text, separator, needs->variables[i].name);
    return text;
}

/* The list of Slurm's --export. With ALL, srun prefers the values of its own environment. */
static char *edit_export(const needed *needs, const char *list) {
    const bool everything = strncmp(list, "ALL", 3) == 0;
    const bool nothing = strcmp(list, "NONE") == 0 || strcmp(list, "NIL") == 0;
    return edit(needs, nothing ? "" : list, ",", !everything, everything);
}

/* ---- launchers ---- */

static const char *const mpiexecs[] = {
    "mpirun",        "mpiexec",         "orterun",      "prterun",       "prun", "mpirun.openmpi",
    "mpiexec.hydra", "mpiexec.openmpi", "mpirun.mpich", "mpiexec.mpich", NULL};
static const char *const slurms[] = {"srun", "sbatch", NULL}, *const envs[] = {"env", NULL};

/* Whether a launcher is Open MPI's: MPICH's may have the same name. */
static bool is_open_mpi(const char *launcher) {
    char path[VEF_INSTALLED_BYTES], beside[VEF_INSTALLED_BYTES], *name = NULL;
    if (!vef_program_find(launcher, path) || (name = realpath(path, NULL)) == NULL)
        return false;
    char *slash = strrchr(name, '/');
    const bool hydra = strstr(slash, "hydra") != NULL || strstr(slash, "mpich") != NULL;
    snprintf(beside, sizeof beside, "%.*s/ompi_info", (int)(slash - name), name);
    free(name);
    return !hydra && access(beside, X_OK) == 0;
}

/* Open MPI's mpirun does not pass its environment on to other nodes, except what its options -x, of
 * each program, or a setting list (Open MPI 3 and later). It refuses both together. Returns whether
 * the command gets -x; else it has the setting. */
static bool forward_to_nodes(const needed *needs, char *const *argv) {
    static const char forwarded[] = "OMPI_MCA_mca_base_env_list";
    static const char *const minus_x[] = {"-x", "--x", NULL}, *const setting[] = {forwarded + 9,
                                                                                  NULL};
    const char *former = getenv(forwarded);
    if (vef_words_have(argv, setting))
        return false;
    if (former == NULL && is_open_mpi(*argv))
        return true;
    char *list = edit(needs, former != NULL ? former : "", ";", true, false);
    if (former != NULL || !vef_words_have(argv, minus_x))
        setenv(forwarded, list, 1);
    return false;
}

/* Whether a word behind srun or sbatch is its program: options that follow are not Slurm's. */
static bool is_program(const char *former, const char *word) {
    static const char without_value[] = "EhHIkKlOQsuvVWXZ"; /* short options */
    char path[VEF_INSTALLED_BYTES];
    const bool value = former[0] == '-' && former[1] != '-' && former[1] != '\0' &&
                       former[2] == '\0' && strchr(without_value, former[1]) == NULL;
    return *word != '-' && !value && (vef_program_find(word, path) || access(word, F_OK) == 0);
}

/* Adds env(1), which is word `i`, its options, assignments of the variables that they remove, and
 * its own assignments. Returns the number of the word behind them. */
static size_t add_env(words *to, const needed *needs, char *const *argv, size_t i) {
    static const char *const clear[] = {"-", "-i", "--ignore-environment", NULL};
    static const char *const with_value[] = {"-u", "--unset", "-C", "--chdir", NULL};
    bool cleared = false, removed[MOST_VARIABLES] = {false}, value = false;
    add(to, argv[i++]);
    for (; argv[i] != NULL && (value || *argv[i] == '-'); add(to, argv[i++])) {
        const char *equals = strchr(argv[i], '='), *name = equals != NULL ? equals + 1
                                                           : strncmp(argv[i], "-u", 2) == 0
                                                               ? argv[i] + 2
                                                               : argv[i];
        const variable *found = find(needs, name, strlen(name));
        if (found != NULL)
            removed[found - needs->variables] = true;
        cleared |= !value && vef_word_is(argv[i], clear);
        value = !value && vef_word_is(argv[i], with_value);
    }
    for (size_t v = 0; v < needs->count; v++)
        if (cleared || removed[v])
            add(to, assignment(&needs->variables[v], ""));
    for (; argv[i] != NULL && strchr(argv[i], '=') != NULL; i++)
        add(to, edit(needs, argv[i], "", false, false));
    return i;
}

/* ---- the words ---- */

/* Adds word `i`, whose meaning depends on the words before it. */
static void add_word(words *to, const needed *needs, char *const *argv, size_t i, bool mpiexec,
                     bool slurm) {
    static const char *const minus_x[] = {"-x", "--x", NULL};
    static const char *const pairs[] = {"-env", "--env", "-genv", "--genv", "--setenv", NULL};
    static const char *const lists[] = {"-envlist", "--envlist", "-genvlist", "--genvlist", NULL};
    static const char *const none[] = {"-envnone", "--envnone", "-genvnone", "--genvnone", NULL};
    const char *former = i > 0 ? argv[i - 1] : "", *option = i > 1 ? argv[i - 2] : "";
    const variable *set = find(needs, former, strlen(former));
    char *word = argv[i];
    if (mpiexec && vef_word_is(former, lists))
        word = edit(needs, word, ",", true, false);
    else if (mpiexec && strcmp(former, "mca_base_env_list") == 0)
        word = edit(needs, word, ";", true, false);
    else if (slurm && strcmp(former, "--export") == 0)
        word = edit_export(needs, word);
    else if (slurm && strncmp(word, "--export=", 9) == 0)
        word = join("--export", "=", edit_export(needs, word + 9));
    else if (mpiexec && (vef_word_is(former, minus_x) || vef_word_is(former, pairs)))
        word = edit(needs, word, "", false, false);
    else if (vef_word_is(option, pairs) && set != NULL && set->list) {
        word = assignment(set, word);
        word += strlen(former) + 1;
    } else if (mpiexec && vef_word_is(word, none)) {
        add(to, strchr(word, 'g') != NULL ? "-genvlist" : "-envlist");
        word = edit(needs, "", ",", true, false);
    }
    add(to, word);
}

/* Adds to the environment of this process, for the command: `library` to LD_PRELOAD, and
 * `variables` ("NAME=value", NULL-terminated list; they must stay). Returns the words of the
 * command, changed where an option of a launcher would replace or drop these variables. NULL: the
 * program has too many variables of vef. The words and the environment are for the execution of the
 * command: nothing frees them.
 */
static char **make_environment(char *const *argv, const char *library,
                               const char *const *variables) {
    static const char *const exports[] = {"SLURM_EXPORT_ENV", "SBATCH_EXPORT"};
    needed needs = {.count = 0};
    size_t count = 0;
    bool mpiexec = false, slurm = false, minus_x = false;
    while (argv[count] != NULL)
        count++;
    words to = {.list = vef_calloc(count * WORDS_FOR_ONE + 1, sizeof *to.list)};
    if (!need_library(&needs, library) || !need_settings(&needs, variables))
        return NULL;
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++)
        if (getenv(exports[i]) != NULL)
            setenv(exports[i], edit_export(&needs, getenv(exports[i])), 1);
    for (size_t i = 0; i < count;) {
        if (vef_word_is(argv[i], envs)) {
            i = add_env(&to, &needs, argv, i);
            continue;
        }
        const bool begins = vef_word_is(argv[i], mpiexecs);
        if (begins)
            minus_x = forward_to_nodes(&needs, argv + i);
        mpiexec |= begins;
        slurm = vef_word_is(argv[i], slurms) || (slurm && !is_program(argv[i - 1], argv[i]));
        add_word(&to, &needs, argv, i, mpiexec, slurm);
        for (size_t v = 0; v < needs.count && minus_x && (begins || strcmp(argv[i], ":") == 0);
             v++) {
            add(&to, "-x");
            add(&to, needs.variables[v].name);
        }
        i++;
    }
    return to.list;
}

/* ---- running the command ---- */

/* In the child: executes the command; returns only with errno set. */
static void become(char *const *argv, const char *library, const char *const *variables) {
    char **changed = make_environment(argv, library, variables);
    errno = ENOMEM;
    if (changed != NULL)
        execvp(changed[0], changed);
}

static volatile sig_atomic_t child_pid, interrupted_by;

int vef_launch_interrupted(void) {
    return interrupted_by;
}

/* ^C on a terminal reaches the command directly; signals sent only to this process are passed on.
 */
static void pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    int former = errno;
    if (signal != SIGUSR1 && signal != SIGUSR2)
        interrupted_by = signal;
    if (info->si_code <= 0 && child_pid > 0)
        kill((pid_t)child_pid, signal);
    errno = former;
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* The errno of `become`, 0 if it succeeded. */
static int start_error(int pipe_end) {
    int failed = 0;
    ssize_t length;
    while ((length = read(pipe_end, &failed, sizeof failed)) < 0 && errno == EINTR)
        ;
    return length == (ssize_t)sizeof failed ? failed : 0;
}

/* Waits for the child, and meanwhile reaps adopted processes. Returns its status. */
static int wait_for(pid_t child) {
    int how = 0;
    for (;;) {
        pid_t ended = waitpid(-1, &how, 0);
        if (ended == child || (ended < 0 && errno != EINTR))
            return how;
    }
}

vef_code vef_launch(char *const *argv, const char *library, const char *const *variables,
                    const sigset_t *mask, int *status, vef_error *error) {
    int ends[2], how = 0;
    *status = 126;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return vef_fail_errno(error, "pipe");
    prctl(PR_SET_CHILD_SUBREAPER,
          1); /* tasks whose launcher has died become children of this process */
    struct sigaction former[PASSED_ON],
        action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        become(argv, library, variables);
        int failed = errno;
        ssize_t written = write(ends[1], &failed, sizeof failed);
        _exit(written > 0 && failed == ENOENT ? 127 : 126);
    }
    int fork_error = errno;
    close(ends[1]);
    child_pid = child;
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &action, &former[i]);
    sigprocmask(SIG_SETMASK, mask, NULL);
    int failed = child < 0 ? fork_error : start_error(ends[0]);
    close(ends[0]);
    if (child > 0)
        how = wait_for(child);
    vef_interrupts_hold();
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &former[i], NULL);
    child_pid = 0;
    if (failed != 0) {
        *status = failed == ENOENT ? 127 : 126;
        errno = failed;
        vef_fail_errno(error, "cannot run %s", argv[0]);
        return vef_fail_kind(error, argv[0], "program", "a program");
    }
    *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return VEF_OK;
}
