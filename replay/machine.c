/* The sections `mpi` and `host` of a machine's file. See machine.h. */
#include "replay/machine.h"

#include "netmodel/file/prices.h"
#include "replay/collectives/rules.h"

#include <math.h>
#include <string.h>

/* ---- schemas ---- */

/* Further sections for hints about an unknown key of `mpi`. */
static const vef_param other_sections[] = {
    {.key = "host", .kind = VEF_PARAM_SECTION, .section = vef_host_schema},
    {.key = NULL},
};

enum { MOST_PRESETS = 16, OWN_ROWS = 4, MPI_ROWS = OWN_ROWS + VEF_MOST_CHOOSABLE + 1 };

/* The section `mpi` as read, without its rules for collectives (rules.h). */
typedef struct mpi_section {
    uint64_t eager_bytes, eager_buffer, control_bytes;
    int preset;
} mpi_section;

typedef struct mpi_schema {
    const char *presets[MOST_PRESETS + 1];
    vef_param rows[MPI_ROWS];
} mpi_schema;

static void add_own_rows(mpi_schema *schema) {
    size_t count = 0;
    for (; vef_presets[count] && count < MOST_PRESETS; count++)
        schema->presets[count] = vef_presets[count]->name;
    schema->presets[count] = NULL;
    const vef_param rows[OWN_ROWS] = {
        {VEF_KEY(CHOICE, mpi_section, preset), .fallback = vef_presets[0]->name,
         .choices = schema->presets, .aliases = "library implementation",
         .help = "MPI library whose selection of algorithms auto follows"},
        {VEF_KEY_AS("eager_threshold", BYTES, mpi_section, eager_bytes), .fallback = "64 KiB",
         .aliases = "eager eager_limit eager_size rendezvous rendezvous_threshold",
         .help = "largest message that is sent eagerly; larger ones use a rendezvous"},
        {VEF_KEY(BYTES, mpi_section, eager_buffer), .fallback = "0 B", .maximum = INFINITY,
         .help = "memory of a task for eager messages that it has not received; 0 B: unlimited"},
        {VEF_KEY(BYTES, mpi_section, control_bytes), .fallback = "32 B",
         .help = "size of a rendezvous request or reply"},
    };
    memcpy(schema->rows, rows, sizeof rows);
}

/* Made from the tables of presets and algorithms. */
static const mpi_schema *make_schema(vef_arena *arena) {
    mpi_schema *schema = vef_arena_alloc(arena, 1, sizeof *schema);
    add_own_rows(schema);
    const size_t collectives = vef_rules_schema(schema->rows + OWN_ROWS, arena);
    schema->rows[OWN_ROWS + collectives] = (vef_param){.key = NULL, .section = other_sections};
    return schema;
}

/* ---- reading and writing ---- */

static mpi_section section_of(const vef_replay_options *options) {
    mpi_section section = {options->eager_bytes, options->eager_buffer_bytes,
                           options->control_bytes, 0};
    while (options->choices.preset && vef_presets[section.preset] != options->choices.preset)
        section.preset++;
    return section;
}

/* The section `mpi`. */
static vef_code read_mpi(const vef_node *mpi, const mpi_schema *schema, vef_arena *arena,
                         vef_replay_options *options, vef_error *error) {
    mpi_section read = {0};
    vef_code code = vef_config_read(mpi, "mpi", schema->rows, NULL, &read, arena, error);
    if (code != VEF_OK)
        return code;
    options->eager_bytes = read.eager_bytes;
    options->eager_buffer_bytes = read.eager_buffer;
    options->control_bytes = read.control_bytes;
    options->choices = (vef_choices){.preset = vef_presets[read.preset]};
    return vef_rules_read(mpi, &options->choices, error);
}

vef_code vef_machine_read(const vef_node *root, vef_replay_options *options, vef_arena *kept,
                          vef_error *error) {
    vef_arena arena = {0};
    vef_prices unwanted;
    const mpi_schema *schema = make_schema(&arena);
    vef_code code = read_mpi(vef_node_get(root, "mpi"), schema, &arena, options, error);
    if (code == VEF_OK && vef_node_get(root, "cost"))
        code = vef_prices_read(root, NULL, &arena, &unwanted, error);
    if (code == VEF_OK)
        code = vef_host_read(vef_node_get(root, "host"), &options->host, kept, error);
    vef_arena_release(&arena);
    return code;
}

vef_code vef_machine_open(const char *network, const char *const *overrides, size_t override_count,
                          vef_arena *arena, vef_node **root, vef_replay_options *options,
                          vef_error *error) {
    vef_replay_options unwanted;
    vef_code code = vef_netmodel_read(network, overrides, override_count, arena, root, error);
    return code == VEF_OK ? vef_machine_read(*root, options ? options : &unwanted, arena, error)
                          : code;
}

void vef_machine_put(const vef_replay_options *options, vef_node *into) {
    vef_arena arena = {0};
    const mpi_schema *schema = make_schema(&arena);
    const mpi_section section = section_of(options);
    vef_node *mpi = vef_config_section(into, "mpi");
    vef_config_put_schema(mpi, schema->rows, &section);
    vef_rules_put(&options->choices, mpi);
    vef_host_put(&options->host, vef_config_section(into, "host"));
    vef_arena_release(&arena);
}

/* All sections, as `write` writes a schema. */
static void write_sections(FILE *out, void (*write)(FILE *out, int indent, const vef_param *)) {
    vef_arena arena = {0};
    const mpi_schema *schema = make_schema(&arena);
    fputs("mpi:\n", out);
    write(out, 2, schema->rows);
    fputs("host:\n", out);
    write(out, 2, vef_host_schema);
    fputs("cost:\n", out);
    write(out, 2, vef_cost_schema);
    vef_arena_release(&arena);
}

void vef_machine_describe(FILE *out) {
    write_sections(out, vef_config_describe);
}

void vef_machine_example(FILE *out) {
    write_sections(out, vef_config_example);
}
