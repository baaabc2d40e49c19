/* The process that reads an archive by libotf2, and sends records (stream.h). It leaves by its
 * return, by a limit, or by a crash of the library; so without memory, too: it has no landing. */
#include "interchange/otf2/child.h"
#include "common/memory.h"

#ifdef VEF_HAVE_OTF2

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Limits: processor time without a record, and memory. The library keeps a chunk of each open
 * location, and a definition at a time. */
enum { MOST_SECONDS = 20 };
#define MOST_MEMORY ((rlim_t)4 << 30)

static void set_limit(int resource, rlim_t wanted) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(resource, &limit);
}

/* The time from now on. */
static void renew_time(void) {
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        set_limit(RLIMIT_CPU,
                  (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + MOST_SECONDS);
}

static void set_limits(void) {
    signal(SIGXCPU, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    set_limit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__ /* its shadow is larger */
    set_limit(RLIMIT_DATA, MOST_MEMORY);
#endif
    renew_time();
}

static bool flush(vef_otf2_child_state *self) {
    size_t done = 0;
    while (done < self->used && !self->broken) {
        const ssize_t written = write(self->to, self->buffer + done, self->used - done);
        if (written > 0)
            done += (size_t)written;
        else if (errno != EINTR)
            self->broken = true;
    }
    self->used = 0;
    renew_time();
    return !self->broken;
}

static bool put_bytes(vef_otf2_child_state *self, const void *data, size_t bytes) {
    const char *from = data;
    while (bytes > 0) {
        const size_t room = sizeof self->buffer - self->used;
        const size_t part = bytes < room ? bytes : room;
        memcpy(self->buffer + self->used, from, part);
        self->used += part;
        from += part;
        bytes -= part;
        if (self->used == sizeof self->buffer && !flush(self))
            return false;
    }
    return !self->broken;
}

bool vef_otf2_child_put(vef_otf2_child_state *self, const vef_otf2_record *record,
                        const void *payload) {
    return put_bytes(self, record, sizeof *record) && put_bytes(self, payload, record->bytes);
}

/* ---- definitions ---- */

static OTF2_CallbackCode put(void *data, vef_otf2_record record, const void *payload) {
    return vef_otf2_child_put(data, &record, payload) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode clock_properties(void *data, uint64_t resolution, uint64_t offset,
                                          uint64_t length, uint64_t started) {
    (void)length;
    return put(
        data,
        (vef_otf2_record){.type = VEF_OTF2_DEF_CLOCK, .a = resolution, .b = offset, .c = started},
        NULL);
}
static OTF2_CallbackCode string(void *data, OTF2_StringRef self, const char *text) {
    return put(
        data,
        (vef_otf2_record){.type = VEF_OTF2_DEF_STRING, .a = self, .bytes = (uint32_t)strlen(text)},
        text);
}
static OTF2_CallbackCode attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_Type type) {
    (void)description;
    return put(data,
               (vef_otf2_record){.type = VEF_OTF2_DEF_ATTRIBUTE, .a = self, .b = name, .c = type},
               NULL);
}
static OTF2_CallbackCode node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                              OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent) {
    (void)parent;
    return put(data,
               (vef_otf2_record){.type = VEF_OTF2_DEF_NODE, .a = self, .b = name, .c = class_name},
               NULL);
}
static OTF2_CallbackCode location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                        OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                        OTF2_LocationGroupRef creator) {
    (void)name, (void)creator;
    return put(
        data,
        (vef_otf2_record){.type = VEF_OTF2_DEF_LOCATION_GROUP, .a = self, .b = type, .c = parent},
        NULL);
}
static OTF2_CallbackCode location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                  OTF2_LocationType type, uint64_t events,
                                  OTF2_LocationGroupRef group) {
    (void)name;
    return put(data,
               (vef_otf2_record){
                   .type = VEF_OTF2_DEF_LOCATION, .a = self, .b = type, .c = group, .d = events},
               NULL);
}
static OTF2_CallbackCode region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                OTF2_StringRef canonical, OTF2_StringRef description,
                                OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                OTF2_StringRef file, uint32_t begin, uint32_t end) {
    (void)role, (void)flags, (void)file, (void)begin, (void)end;
    return put(data,
               (vef_otf2_record){.type = VEF_OTF2_DEF_REGION,
                                 .a = self,
                                 .b = name,
                                 .c = canonical,
                                 .d = description,
                                 .e = paradigm},
               NULL);
}
static OTF2_CallbackCode group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                               OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                               uint32_t count, const uint64_t *members) {
    (void)name, (void)flags;
    return put(data,
               (vef_otf2_record){.type = VEF_OTF2_DEF_GROUP,
                                 .a = self,
                                 .b = type,
                                 .c = paradigm,
                                 .bytes = (uint32_t)(count * sizeof *members)},
               members);
}
static OTF2_CallbackCode comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                              OTF2_GroupRef members, OTF2_CommRef parent, OTF2_CommFlag flags) {
    return put(
        data,
        (vef_otf2_record){
            .type = VEF_OTF2_DEF_COMM, .a = self, .b = name, .c = members, .d = parent, .e = flags},
        NULL);
}
static OTF2_CallbackCode intercomm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                   OTF2_GroupRef a, OTF2_GroupRef b, OTF2_CommRef common,
                                   OTF2_CommFlag flags) {
    (void)name, (void)a, (void)b, (void)common, (void)flags;
    return put(data, (vef_otf2_record){.type = VEF_OTF2_DEF_INTERCOMM, .a = self}, NULL);
}

/* With all definitions, or without: the library must have read them before the events. */
static bool read_definitions(vef_otf2_child_state *self, bool send) {
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(self->reader);
    OTF2_GlobalDefReaderCallbacks *to = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count;
    bool good = reader && to;
    if (good && send) {
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(to, clock_properties);
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(to, string);
        OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(to, attribute);
        OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(to, node);
        OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(to, location_group);
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(to, location);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(to, region);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(to, group);
        OTF2_GlobalDefReaderCallbacks_SetCommCallback(to, comm);
        OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(to, intercomm);
    }
    good = good &&
           OTF2_Reader_RegisterGlobalDefCallbacks(self->reader, reader, to, self) == OTF2_SUCCESS;
    OTF2_GlobalDefReaderCallbacks_Delete(to);
    return good &&
           OTF2_Reader_ReadAllGlobalDefinitions(self->reader, reader, &count) == OTF2_SUCCESS;
}

/* ---- events ---- */

/* The reader of a location, after its local definitions, which map its numbers to global ones. */
static OTF2_EvtReader *open_location(vef_otf2_child_state *self, uint64_t place, bool definitions,
                                     const OTF2_EvtReaderCallbacks *to) {
    uint64_t count;
    OTF2_DefReader *local = definitions ? OTF2_Reader_GetDefReader(self->reader, place) : NULL;
    if (local &&
        (OTF2_Reader_ReadAllLocalDefinitions(self->reader, local, &count) != OTF2_SUCCESS ||
         OTF2_Reader_CloseDefReader(self->reader, local) != OTF2_SUCCESS))
        return NULL;
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(self->reader, place);
    if (!reader || OTF2_Reader_RegisterEvtCallbacks(self->reader, reader, to, self) != OTF2_SUCCESS)
        return NULL;
    return reader;
}

/* The value of vef's attribute "entered" of a record, which a bit of `attributes` says it has. */
static uint64_t entered_of(const vef_otf2_record *record) {
    int place = 0;
    for (int i = 0; i < VEF_OTF2_ENTERED; i++)
        place += record->attributes >> i & 1;
    return record->values[place < VEF_OTF2_STREAM_ATTRIBUTES ? place : 0];
}

/* Whether `a` comes first: by the order of calls where it is known, else by time. */
static bool comes_before(const vef_otf2_ahead *a, const vef_otf2_ahead *b) {
    return a->ticks && b->ticks && a->entered != b->entered ? a->entered < b->entered
                                                            : a->record.time < b->record.time;
}

/* Reads one event ahead, if there is one. Events without a callback are skipped. */
static bool read_ahead(vef_otf2_child_state *self, vef_otf2_ahead *ahead) {
    uint64_t count = 1;
    ahead->has = false;
    self->ahead = ahead;
    while (count > 0 && !ahead->has)
        if (OTF2_Reader_ReadLocalEvents(self->reader, ahead->reader, 1, &count) != OTF2_SUCCESS)
            return false;
    if (ahead->has && ahead->record.attributes >> VEF_OTF2_ENTERED & 1) {
        ahead->ticks = true;
        ahead->entered = entered_of(&ahead->record);
    }
    return true;
}

/* Several threads of a task. */
static bool read_together(vef_otf2_child_state *self, vef_otf2_ahead *list, uint32_t count) {
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        good = read_ahead(self, &list[i]);
    while (good) {
        vef_otf2_ahead *first = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (list[i].has && (!first || comes_before(&list[i], first)))
                first = &list[i];
        if (!first)
            break;
        good = vef_otf2_child_put(self, &first->record, NULL) && read_ahead(self, first);
    }
    return good;
}

static bool read_task(vef_otf2_child_state *self, const vef_otf2_locations *task, uint32_t number,
                      bool definitions, const OTF2_EvtReaderCallbacks *to) {
    const vef_otf2_record begin = {.type = VEF_OTF2_TASK, .a = number};
    vef_otf2_ahead *list = vef_calloc(task->count + 1ull, sizeof *list);
    bool good = list && vef_otf2_child_put(self, &begin, NULL);
    uint64_t count;
    self->ahead = NULL;
    for (uint32_t i = 0; i < task->count && good; i++) {
        list[i].reader = open_location(self, task->references[i], definitions, to);
        good = list[i].reader != NULL;
    }
    if (good && task->count == 1)
        good = OTF2_Reader_ReadAllLocalEvents(self->reader, list[0].reader, &count) == OTF2_SUCCESS;
    else if (good)
        good = read_together(self, list, task->count);
    for (uint32_t i = 0; i < task->count && good; i++)
        good = OTF2_Reader_CloseEvtReader(self->reader, list[i].reader) == OTF2_SUCCESS;
    free(list);
    return good;
}

static bool read_tasks(vef_otf2_child_state *self, const vef_otf2_wanted *wanted) {
    for (uint32_t i = 0; i < wanted->count; i++)
        for (uint32_t j = 0; j < wanted->tasks[i].count; j++)
            if (OTF2_Reader_SelectLocation(self->reader, wanted->tasks[i].references[j]) !=
                OTF2_SUCCESS)
                return false;
    /* Archives need not have local definitions. */
    const bool definitions = OTF2_Reader_OpenDefFiles(self->reader) == OTF2_SUCCESS;
    if (!definitions)
        self->problem[0] = 0;
    OTF2_EvtReaderCallbacks *to = vef_otf2_event_callbacks();
    bool good = to && OTF2_Reader_OpenEvtFiles(self->reader) == OTF2_SUCCESS;
    for (uint32_t i = 0; i < wanted->count && good; i++)
        good = read_task(self, &wanted->tasks[i], i, definitions, to);
    OTF2_EvtReaderCallbacks_Delete(to);
    return good;
}

/* ---- the process ---- */

/* The first message names the cause. */
static OTF2_ErrorCode keep_message(void *data, const char *file, uint64_t line,
                                   const char *function, OTF2_ErrorCode code, const char *format,
                                   va_list arguments) {
    vef_otf2_child_state *self = data;
    (void)file, (void)line, (void)function;
    if (!self->problem[0] && code > OTF2_SUCCESS) {
        const int used = snprintf(self->problem, sizeof self->problem, "%s%s",
                                  OTF2_Error_GetDescription(code), format && *format ? ": " : "");
        if (used > 0 && (size_t)used < sizeof self->problem && format)
            vsnprintf(self->problem + used, sizeof self->problem - (size_t)used, format, arguments);
    }
    return code;
}

static bool read_all(vef_otf2_child_state *self, const vef_otf2_wanted *wanted) {
    char *creator = NULL;
    self->reader = OTF2_Reader_Open(wanted->path);
    if (!self->reader || OTF2_Reader_SetSerialCollectiveCallbacks(self->reader) != OTF2_SUCCESS)
        return false;
    if (!wanted->tasks && OTF2_Reader_GetCreator(self->reader, &creator) == OTF2_SUCCESS &&
        creator) {
        const vef_otf2_record record = {.type = VEF_OTF2_DEF_CREATOR,
                                        .bytes = (uint32_t)strlen(creator)};
        if (!vef_otf2_child_put(self, &record, creator))
            return false;
    }
    return read_definitions(self, !wanted->tasks) && (!wanted->tasks || read_tasks(self, wanted));
}

void vef_otf2_child(const vef_otf2_wanted *wanted, int to) {
    vef_landing_set(NULL);
    vef_otf2_child_state *self = vef_calloc(1, sizeof *self);
    if (!self)
        return;
    self->to = to;
    set_limits();
    for (int i = 0; i < VEF_OTF2_ATTRIBUTES; i++)
        self->attributes[i] = wanted->attributes ? wanted->attributes[i] : VEF_OTF2_NO_ATTRIBUTE;
    OTF2_Error_RegisterCallback(keep_message, self);
    const bool good = read_all(self, wanted);
    if (!good && !self->problem[0])
        snprintf(self->problem, sizeof self->problem, "the archive cannot be read");
    const vef_otf2_record last = {.type = VEF_OTF2_END,
                                  .bytes = good ? 0 : (uint32_t)strlen(self->problem)};
    vef_otf2_child_put(self, &last, self->problem);
    flush(self);
}

#endif
