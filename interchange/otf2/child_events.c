/* In the process that reads an archive: the callbacks of events, which make records of them. */
#include "interchange/otf2/child.h"

#ifdef VEF_HAVE_OTF2

static OTF2_CallbackCode put_event(void *data, vef_otf2_record record,
                                   const OTF2_AttributeList *attributes) {
    vef_otf2_child_state *self = data;
    uint32_t found = 0;
    const bool some = OTF2_AttributeList_GetNumberOfElements(attributes) > 0;
    for (uint32_t i = 0; some && i < VEF_OTF2_ATTRIBUTES; i++) {
        uint64_t value;
        const OTF2_AttributeRef attribute = self->attributes[i];
        if (attribute == VEF_OTF2_NO_ATTRIBUTE || found >= VEF_OTF2_STREAM_ATTRIBUTES ||
            !OTF2_AttributeList_TestAttributeByID(attributes, attribute) ||
            OTF2_AttributeList_GetUint64(attributes, attribute, &value) != OTF2_SUCCESS)
            continue;
        record.attributes |= (uint16_t)(1u << i);
        record.values[found++] = value;
    }
    if (!self->ahead)
        return vef_otf2_child_put(self, &record, NULL) ? OTF2_CALLBACK_SUCCESS
                                                       : OTF2_CALLBACK_INTERRUPT;
    self->ahead->record = record;
    self->ahead->has = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode mpi_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, uint32_t receiver,
                                  OTF2_CommRef communicator, uint32_t tag, uint64_t length) {
    (void)position;
    return put_event(data,
                     (vef_otf2_record){.type = VEF_OTF2_SEND,
                                       .location = location,
                                       .time = time,
                                       .a = receiver,
                                       .b = communicator,
                                       .c = tag,
                                       .d = length},
                     attributes);
}

static OTF2_CallbackCode mpi_isend(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *data, OTF2_AttributeList *attributes,
                                   uint32_t receiver, OTF2_CommRef communicator, uint32_t tag,
                                   uint64_t length, uint64_t request) {
    (void)position;
    return put_event(data,
                     (vef_otf2_record){.type = VEF_OTF2_ISEND,
                                       .location = location,
                                       .time = time,
                                       .a = receiver,
                                       .b = communicator,
                                       .c = tag,
                                       .d = length,
                                       .e = request},
                     attributes);
}

static OTF2_CallbackCode mpi_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, uint32_t sender,
                                  OTF2_CommRef communicator, uint32_t tag, uint64_t length) {
    (void)position;
    return put_event(data,
                     (vef_otf2_record){.type = VEF_OTF2_RECV,
                                       .location = location,
                                       .time = time,
                                       .a = sender,
                                       .b = communicator,
                                       .c = tag,
                                       .d = length},
                     attributes);
}

static OTF2_CallbackCode mpi_irecv(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *data, OTF2_AttributeList *attributes,
                                   uint32_t sender, OTF2_CommRef communicator, uint32_t tag,
                                   uint64_t length, uint64_t request) {
    (void)position;
    return put_event(data,
                     (vef_otf2_record){.type = VEF_OTF2_IRECV,
                                       .location = location,
                                       .time = time,
                                       .a = sender,
                                       .b = communicator,
                                       .c = tag,
                                       .d = length,
                                       .e = request},
                     attributes);
}

static OTF2_CallbackCode mpi_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *data,
                                            OTF2_AttributeList *attributes, uint64_t request) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){
            .type = VEF_OTF2_ISEND_COMPLETE, .location = location, .time = time, .e = request},
        attributes);
}

static OTF2_CallbackCode mpi_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           uint64_t position, void *data,
                                           OTF2_AttributeList *attributes, uint64_t request) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){
            .type = VEF_OTF2_IRECV_REQUEST, .location = location, .time = time, .e = request},
        attributes);
}

static OTF2_CallbackCode mpi_request_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time,
                                               uint64_t position, void *data,
                                               OTF2_AttributeList *attributes, uint64_t request) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){
            .type = VEF_OTF2_CANCELLED, .location = location, .time = time, .e = request},
        attributes);
}

static OTF2_CallbackCode mpi_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
                                              uint64_t position, void *data,
                                              OTF2_AttributeList *attributes) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){.type = VEF_OTF2_COLLECTIVE_BEGIN, .location = location, .time = time},
        attributes);
}

static OTF2_CallbackCode mpi_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t position, void *data,
                                            OTF2_AttributeList *attributes,
                                            OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                            uint32_t root, uint64_t sent, uint64_t received) {
    (void)position;
    return put_event(data,
                     (vef_otf2_record){.type = VEF_OTF2_COLLECTIVE_END,
                                       .location = location,
                                       .time = time,
                                       .c = operation,
                                       .b = communicator,
                                       .a = root,
                                       .d = sent,
                                       .f = received},
                     attributes);
}

static OTF2_CallbackCode non_blocking_collective_request(OTF2_LocationRef location,
                                                         OTF2_TimeStamp time, uint64_t position,
                                                         void *data, OTF2_AttributeList *attributes,
                                                         uint64_t request) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){
            .type = VEF_OTF2_COLLECTIVE_REQUEST, .location = location, .time = time, .e = request},
        attributes);
}

static OTF2_CallbackCode non_blocking_collective_complete(
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
    OTF2_AttributeList *attributes, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
    uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
    (void)position;
    return put_event(data,
                     (vef_otf2_record){.type = VEF_OTF2_COLLECTIVE_COMPLETE,
                                       .location = location,
                                       .time = time,
                                       .c = operation,
                                       .b = communicator,
                                       .a = root,
                                       .d = sent,
                                       .f = received,
                                       .e = request},
                     attributes);
}

static OTF2_CallbackCode comm_create(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t position, void *data, OTF2_AttributeList *attributes,
                                     OTF2_CommRef communicator) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){
            .type = VEF_OTF2_COMM_CREATE, .location = location, .time = time, .b = communicator},
        attributes);
}

static OTF2_CallbackCode comm_destroy(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t position, void *data, OTF2_AttributeList *attributes,
                                      OTF2_CommRef communicator) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){
            .type = VEF_OTF2_COMM_DESTROY, .location = location, .time = time, .b = communicator},
        attributes);
}

static OTF2_CallbackCode enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                               void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){.type = VEF_OTF2_ENTER, .location = location, .time = time, .a = region},
        attributes);
}

static OTF2_CallbackCode leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                               void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region) {
    (void)position;
    return put_event(
        data,
        (vef_otf2_record){.type = VEF_OTF2_LEAVE, .location = location, .time = time, .a = region},
        attributes);
}

OTF2_EvtReaderCallbacks *vef_otf2_event_callbacks(void) {
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, mpi_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, mpi_isend);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, mpi_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, mpi_irecv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, mpi_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, mpi_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, mpi_request_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, mpi_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, mpi_collective_end);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
        callbacks, non_blocking_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        callbacks, non_blocking_collective_complete);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(callbacks, comm_create);
    OTF2_EvtReaderCallbacks_SetCommDestroyCallback(callbacks, comm_destroy);
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, leave);
    return callbacks;
}

#endif
