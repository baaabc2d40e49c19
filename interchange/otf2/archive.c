/* Reading an archive by libotf2: see archive.h. */
#include "interchange/otf2/archive.h"

#ifdef VEF_HAVE_OTF2

#include "common/memory.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The next event of one of a task's locations. */
typedef struct event_ahead {
    OTF2_EvtReader *reader;
    bool has;
    vef_otf2_record record;
    bool ticks; /* vef's attribute gives the order of calls: that of the call of `record` */
    uint64_t entered;
} event_ahead;

typedef struct archive {
    OTF2_Reader *reader;
    const vef_otf2_wanted *wanted;
    event_ahead *ahead;   /* where callbacks put an event; NULL: they pass it on */
    uint64_t records;     /* passed on */
    uint64_t most_events; /* of a location */
    char problem[VEF_OTF2_PROBLEM_BYTES];
    vef_code code; /* of the taker of records */
    vef_error *error;
} archive;

enum { RECORDS_OF_TIME = 1024 }; /* after so many the time limit begins again */

/* Passes a record on; false: its taker failed. */
static bool pass_on(archive *from, const vef_otf2_record *record) {
    if (++from->records % RECORDS_OF_TIME == 0)
        vef_otf2_renew_time(true);
    from->code = from->wanted->take(from->wanted->context, record, from->error);
    return from->code == VEF_OK;
}

/* ---- definitions ---- */

/* Tables of callbacks: what libotf2 calls each, its record, the parameters of its callback and the
 * fields of the record. */
/* clang-format off */
#define PARAMETERS(...) , __VA_ARGS__
#define UNUSED __attribute__((unused))
#define DEFINITIONS(DEFINITION) \
    DEFINITION(ClockProperties, CLOCK, \
               PARAMETERS(uint64_t resolution, uint64_t offset, uint64_t length UNUSED, uint64_t started), \
               .a = resolution, .b = offset, .c = started) \
    DEFINITION(String, STRING, PARAMETERS(OTF2_StringRef reference, const char *text), \
               .a = reference, .count = (uint32_t)strlen(text), .payload = text) \
    DEFINITION(Attribute, ATTRIBUTE, \
               PARAMETERS(OTF2_AttributeRef reference, OTF2_StringRef name, \
                          OTF2_StringRef description UNUSED, OTF2_Type type), \
               .a = reference, .b = name, .c = type) \
    DEFINITION(SystemTreeNode, NODE, \
               PARAMETERS(OTF2_SystemTreeNodeRef reference, OTF2_StringRef name, \
                          OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent UNUSED), \
               .a = reference, .b = name, .c = class_name) \
    DEFINITION(LocationGroup, LOCATION_GROUP, \
               PARAMETERS(OTF2_LocationGroupRef reference, OTF2_StringRef name UNUSED, \
                          OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent, \
                          OTF2_LocationGroupRef creator UNUSED), \
               .a = reference, .b = type, .c = parent) \
    DEFINITION(Location, LOCATION, \
               PARAMETERS(OTF2_LocationRef reference, OTF2_StringRef name UNUSED, \
                          OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group), \
               .a = reference, .b = type, .c = group, .d = events) \
    DEFINITION(Region, REGION, \
               PARAMETERS(OTF2_RegionRef reference, OTF2_StringRef name, OTF2_StringRef canonical, \
                          OTF2_StringRef description, OTF2_RegionRole role UNUSED, \
                          OTF2_Paradigm paradigm, OTF2_RegionFlag flags UNUSED, \
                          OTF2_StringRef file UNUSED, uint32_t begin UNUSED, uint32_t end UNUSED), \
               .a = reference, .b = name, .c = canonical, .d = description, .e = paradigm) \
    DEFINITION(Group, GROUP, \
               PARAMETERS(OTF2_GroupRef reference, OTF2_StringRef name UNUSED, OTF2_GroupType type, \
                          OTF2_Paradigm paradigm, OTF2_GroupFlag flags UNUSED, uint32_t count, \
                          const uint64_t *members), \
               .a = reference, .b = type, .c = paradigm, .count = count, .payload = members) \
    DEFINITION(Comm, COMM, \
               PARAMETERS(OTF2_CommRef reference, OTF2_StringRef name, OTF2_GroupRef members, \
                          OTF2_CommRef parent, OTF2_CommFlag flags), \
               .a = reference, .b = name, .c = members, .d = parent, .e = flags) \
    DEFINITION(InterComm, INTERCOMM, \
               PARAMETERS(OTF2_CommRef reference, OTF2_StringRef name UNUSED, \
                          OTF2_GroupRef first UNUSED, OTF2_GroupRef second UNUSED, \
                          OTF2_CommRef common UNUSED, OTF2_CommFlag flags UNUSED), \
               .a = reference)

#define TAKE_DEFINITION(NAME, TYPE, PARAMETERS, ...) \
    static OTF2_CallbackCode take_##NAME(void *data PARAMETERS) { \
        return pass_on(data, &(vef_otf2_record){.type = VEF_OTF2_DEF_##TYPE, __VA_ARGS__}) \
                   ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR; \
    }
DEFINITIONS(TAKE_DEFINITION)
/* clang-format on */

/* The library must have read them before the events, also where they are not wanted. */
static bool read_definitions(archive *from) {
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(from->reader);
    OTF2_GlobalDefReaderCallbacks *to = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count;
    bool good = reader && to;
    if (good && !from->wanted->tasks) {
#define REGISTER(NAME, ...) OTF2_GlobalDefReaderCallbacks_Set##NAME##Callback(to, take_##NAME);
        DEFINITIONS(REGISTER)
#undef REGISTER
    }
    good = good &&
           OTF2_Reader_RegisterGlobalDefCallbacks(from->reader, reader, to, from) == OTF2_SUCCESS;
    OTF2_GlobalDefReaderCallbacks_Delete(to);
    return good &&
           OTF2_Reader_ReadAllGlobalDefinitions(from->reader, reader, &count) == OTF2_SUCCESS;
}

/* ---- events ---- */

/* `number` counts the events of a location from 1. */
static OTF2_CallbackCode put_event(archive *from, uint64_t number, vef_otf2_record record,
                                   const OTF2_AttributeList *attributes) {
    const uint32_t *numbers = from->wanted->attributes;
    const bool some = numbers && OTF2_AttributeList_GetNumberOfElements(attributes) > 0;
    for (uint32_t i = 0; some && i < VEF_OTF2_ATTRIBUTES; i++)
        if (numbers[i] != VEF_OTF2_NO_ATTRIBUTE &&
            OTF2_AttributeList_TestAttributeByID(attributes, numbers[i]) &&
            OTF2_AttributeList_GetUint64(attributes, numbers[i], &record.values[i]) == OTF2_SUCCESS)
            record.attributes |= (uint16_t)(1u << i);
    if (number > from->most_events) {
        snprintf(from->problem, sizeof from->problem,
                 "location %" PRIu64 " has more events than its file has bytes", record.location);
        return OTF2_CALLBACK_INTERRUPT;
    }
    if (!from->ahead)
        return pass_on(from, &record) ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
    from->ahead->record = record;
    from->ahead->has = true;
    return OTF2_CALLBACK_SUCCESS;
}

/* clang-format off */
#define MESSAGE \
    PARAMETERS(uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
#define REQUEST PARAMETERS(uint64_t request)
#define END \
    PARAMETERS(OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, \
               uint64_t sent, uint64_t received)
#define EVENTS(EVENT) \
    EVENT(Enter, ENTER, PARAMETERS(OTF2_RegionRef region), .a = region) \
    EVENT(Leave, LEAVE, PARAMETERS(OTF2_RegionRef region), .a = region) \
    EVENT(MpiSend, SEND, MESSAGE, .a = peer, .b = communicator, .c = tag, .d = bytes) \
    EVENT(MpiRecv, RECV, MESSAGE, .a = peer, .b = communicator, .c = tag, .d = bytes) \
    EVENT(MpiIsend, ISEND, MESSAGE REQUEST, \
          .a = peer, .b = communicator, .c = tag, .d = bytes, .e = request) \
    EVENT(MpiIrecv, IRECV, MESSAGE REQUEST, \
          .a = peer, .b = communicator, .c = tag, .d = bytes, .e = request) \
    EVENT(MpiIsendComplete, ISEND_COMPLETE, REQUEST, .e = request) \
    EVENT(MpiIrecvRequest, IRECV_REQUEST, REQUEST, .e = request) \
    EVENT(MpiRequestCancelled, CANCELLED, REQUEST, .e = request) \
    EVENT(MpiCollectiveBegin, COLLECTIVE_BEGIN, , .a = 0) \
    EVENT(MpiCollectiveEnd, COLLECTIVE_END, END, \
          .a = root, .b = communicator, .c = operation, .d = sent, .f = received) \
    EVENT(NonBlockingCollectiveRequest, COLLECTIVE_REQUEST, REQUEST, .e = request) \
    EVENT(NonBlockingCollectiveComplete, COLLECTIVE_COMPLETE, END REQUEST, \
          .a = root, .b = communicator, .c = operation, .d = sent, .f = received, .e = request) \
    EVENT(CommCreate, COMM_CREATE, PARAMETERS(OTF2_CommRef communicator), .b = communicator) \
    EVENT(CommDestroy, COMM_DESTROY, PARAMETERS(OTF2_CommRef communicator), .b = communicator)

#define TAKE_EVENT(NAME, TYPE, PARAMETERS, ...) \
    static OTF2_CallbackCode take_##NAME(OTF2_LocationRef location, OTF2_TimeStamp time, \
                                         uint64_t position, void *data, \
                                         OTF2_AttributeList *attributes PARAMETERS) { \
        return put_event(data, position, (vef_otf2_record){.type = VEF_OTF2_##TYPE, .location = location, \
                                                 .time = time, __VA_ARGS__}, attributes); \
    }
EVENTS(TAKE_EVENT)

static OTF2_EvtReaderCallbacks *event_callbacks(void) {
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define REGISTER(NAME, ...) OTF2_EvtReaderCallbacks_Set##NAME##Callback(callbacks, take_##NAME);
    EVENTS(REGISTER)
    return callbacks;
}
/* clang-format on */

/* The most events that the file of a location may have: 1 for each byte, and in a compressed one
 * any number. libotf2 reads some archives without end. */
static uint64_t most_events_of(const archive *from, uint64_t place) {
    const char *path = from->wanted->path, *extension = strrchr(path, '.');
    const int length = extension ? (int)(extension - path) : (int)strlen(path);
    OTF2_Compression compression;
    struct stat file;
    char *name = vef_printed("%.*s/%" PRIu64 ".evt", length, path, place);
    const bool bounded = OTF2_Reader_GetCompression(from->reader, &compression) == OTF2_SUCCESS &&
                         compression == OTF2_COMPRESSION_NONE && stat(name, &file) == 0;
    free(name);
    return bounded ? (uint64_t)file.st_size : UINT64_MAX;
}

/* The reader of a location, after its local definitions, which map its numbers to global ones. */
static OTF2_EvtReader *open_location(archive *from, uint64_t place, bool definitions,
                                     const OTF2_EvtReaderCallbacks *to) {
    uint64_t count;
    OTF2_DefReader *local = definitions ? OTF2_Reader_GetDefReader(from->reader, place) : NULL;
    if (local &&
        (OTF2_Reader_ReadAllLocalDefinitions(from->reader, local, &count) != OTF2_SUCCESS ||
         OTF2_Reader_CloseDefReader(from->reader, local) != OTF2_SUCCESS))
        return NULL;
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(from->reader, place);
    if (!reader || OTF2_Reader_RegisterEvtCallbacks(from->reader, reader, to, from) != OTF2_SUCCESS)
        return NULL;
    return reader;
}

/* Whether `a` comes first: by the order of calls where it is known, else by time. */
static bool comes_before(const event_ahead *a, const event_ahead *b) {
    return a->ticks && b->ticks && a->entered != b->entered ? a->entered < b->entered
                                                            : a->record.time < b->record.time;
}

/* Reads one event ahead, if there is one. Events without a callback are skipped. */
static bool read_ahead(archive *from, event_ahead *ahead) {
    uint64_t count = 1;
    ahead->has = false;
    from->ahead = ahead;
    while (count > 0 && !ahead->has)
        if (OTF2_Reader_ReadLocalEvents(from->reader, ahead->reader, 1, &count) != OTF2_SUCCESS)
            return false;
    if (ahead->has && ahead->record.attributes >> VEF_OTF2_ENTERED & 1) {
        ahead->ticks = true;
        ahead->entered = ahead->record.values[VEF_OTF2_ENTERED];
    }
    return true;
}

/* Several threads of a task. */
static bool read_together(archive *from, event_ahead *list, uint32_t count) {
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        good = read_ahead(from, &list[i]);
    while (good) {
        event_ahead *first = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (list[i].has && (!first || comes_before(&list[i], first)))
                first = &list[i];
        if (!first)
            break;
        good = pass_on(from, &first->record) && read_ahead(from, first);
    }
    return good;
}

static bool read_task(archive *from, const vef_otf2_task *task, uint32_t number, bool definitions,
                      const OTF2_EvtReaderCallbacks *to) {
    const vef_otf2_record begin = {.type = VEF_OTF2_TASK, .a = number};
    event_ahead *list = vef_calloc(task->location_count + 1ull, sizeof *list);
    bool good = pass_on(from, &begin);
    uint64_t count;
    from->ahead = NULL;
    for (uint32_t i = 0; i < task->location_count && good; i++) {
        list[i].reader = open_location(from, task->locations[i], definitions, to);
        const uint64_t most = most_events_of(from, task->locations[i]);
        from->most_events = i == 0 || most > from->most_events ? most : from->most_events;
        good = list[i].reader != NULL;
    }
    if (good && task->location_count == 1)
        good = OTF2_Reader_ReadAllLocalEvents(from->reader, list[0].reader, &count) == OTF2_SUCCESS;
    else if (good)
        good = read_together(from, list, task->location_count);
    for (uint32_t i = 0; i < task->location_count && good; i++)
        good = OTF2_Reader_CloseEvtReader(from->reader, list[i].reader) == OTF2_SUCCESS;
    free(list);
    return good;
}

static bool read_tasks(archive *from) {
    const vef_otf2_wanted *wanted = from->wanted;
    for (uint32_t i = 0; i < wanted->count; i++)
        for (uint32_t j = 0; j < wanted->tasks[i].location_count; j++)
            if (OTF2_Reader_SelectLocation(from->reader, wanted->tasks[i].locations[j]) !=
                OTF2_SUCCESS)
                return false;
    /* Archives need not have local definitions. */
    const bool definitions = OTF2_Reader_OpenDefFiles(from->reader) == OTF2_SUCCESS;
    if (!definitions)
        from->problem[0] = 0;
    OTF2_EvtReaderCallbacks *to = event_callbacks();
    bool good = to && OTF2_Reader_OpenEvtFiles(from->reader) == OTF2_SUCCESS;
    for (uint32_t i = 0; i < wanted->count && good; i++)
        good = read_task(from, &wanted->tasks[i], i, definitions, to);
    OTF2_EvtReaderCallbacks_Delete(to);
    return good;
}

/* ---- the archive ---- */

static OTF2_ErrorCode keep_message(void *data, const char *file, uint64_t line,
                                   const char *function, OTF2_ErrorCode code, const char *format,
                                   va_list arguments) {
    char *problem = data;
    (void)file, (void)line, (void)function;
    if (!*problem && code > OTF2_SUCCESS) {
        const int used = snprintf(problem, VEF_OTF2_PROBLEM_BYTES, "%s%s",
                                  OTF2_Error_GetDescription(code), format && *format ? ": " : "");
        if (used > 0 && used < VEF_OTF2_PROBLEM_BYTES && format)
            vsnprintf(problem + used, VEF_OTF2_PROBLEM_BYTES - (size_t)used, format, arguments);
    }
    return code;
}

void vef_otf2_keep_problem(char *problem) {
    OTF2_Error_RegisterCallback(problem ? keep_message : NULL, problem);
}

static bool read_archive(archive *from) {
    const vef_otf2_wanted *wanted = from->wanted;
    char *creator = NULL;
    from->reader = OTF2_Reader_Open(wanted->path);
    if (!from->reader || OTF2_Reader_SetSerialCollectiveCallbacks(from->reader) != OTF2_SUCCESS)
        return false;
    if (!wanted->tasks && OTF2_Reader_GetCreator(from->reader, &creator) == OTF2_SUCCESS && creator)
        pass_on(from, &(vef_otf2_record){.type = VEF_OTF2_DEF_CREATOR,
                                         .count = (uint32_t)strlen(creator),
                                         .payload = creator});
    free(creator);
    return !from->code && read_definitions(from) && (!wanted->tasks || read_tasks(from));
}

vef_code vef_otf2_archive_read(const vef_otf2_wanted *wanted, vef_error *error) {
    archive from = {.wanted = wanted, .error = error};
    vef_otf2_keep_problem(from.problem);
    const bool good = read_archive(&from);
    OTF2_Reader_Close(from.reader);
    vef_otf2_keep_problem(NULL);
    if (from.code || good)
        return from.code;
    return vef_fail(error, VEF_CORRUPT,
                    "%s: libotf2: %s: expected the file of an archive that names the others, "
                    "such as traces.otf2",
                    wanted->path, from.problem[0] ? from.problem : "the archive cannot be read");
}

#endif
