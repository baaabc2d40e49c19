# The tables of docs/results/twisted-tori-in-production.md from results.csv of a study (tpu.sh): -v table=NAME.

# Splits a line of CSV into field[1] …; returns their number.
function split_csv(line,    n, i, c, quoted) {
    n = 1
    field[1] = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted)
            field[++n] = ""
        else
            field[n] = field[n] c
    }
    return n
}

function value(name) { return field[column[name]] }

# The settings of a point, without its network and seed.
function setting_of(    i, text) {
    for (i = 2; i < column["state"]; i++)
        if (name[i] != "network" && name[i] != "trace" && name[i] != "seed")
            text = text name[i] "=" field[i] ";"
    return text
}

function sort_gains(n,    i, j, swapped) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && sorted[j - 1] > sorted[j]; j--) {
            swapped = sorted[j]; sorted[j] = sorted[j - 1]; sorted[j - 1] = swapped
        }
}

# Least, median and greatest gain on a shape of the settings that contain `text`, as three cells.
function range(shape, text, among,    i, n, median) {
    n = 0
    for (i = 1; i <= settings; i++)
        if (index(setting[i], text) && index(setting[i], among))
            sorted[++n] = gain[setting[i], shape]
    if (!n)
        return "|  "
    sort_gains(n)
    median = n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
    return sprintf("%.2f | %.2f | %.2f", sorted[1], median, sorted[n])
}

function within(measured, published) { return measured >= 0.95 * published && measured <= 1.05 * published }
function meets(text) { return within(gain[text, "4x4x8"], 1.63) && within(gain[text, "4x8x8"], 1.31) }

function count(text, among, only_met,    i, n) {
    n = 0
    for (i = 1; i <= settings; i++)
        n += index(setting[i], text) && index(setting[i], among) && (!only_met || meets(setting[i]))
    return n
}

function level(label, text, among) {
    printf "| %s | %d | %s | %s | %d |\n", label, count(text, among, 0), range("4x4x8", text, among), range("4x8x8", text, among),
        count(text, among, 1)
}

# What a setting accepts, and its gains.
function loads(label, text) {
    if ((text, "4x4x8") in gain)
        printf "| %s | %.2f | %.2f | **%.2f** | %.2f | %.2f | **%.2f** |\n", label,
            rate["regular 4x4x8", text], rate["twisted 4x4x8", text],
            gain[text, "4x4x8"], rate["regular 4x8x8", text], rate["twisted 4x8x8", text], gain[text, "4x8x8"]
    else {
        print "a measurement is missing: " text >"/dev/stderr"
        failed = 1
    }
}

# The setting of the reference, with one part replaced.
function reference(old, new,    text) {
    text = base
    if (old != "" && !index(text, old)) {
        print "no such setting: " old >"/dev/stderr"
        failed = 1
    }
    return old == "" ? text : substr(text, 1, index(text, old) - 1) new substr(text, index(text, old) + length(old))
}

FNR == 1 {
    n = split_csv($0)
    for (i = 1; i <= n; i++) {
        name[i] = field[i]
        column[field[i]] = i
    }
    next
}

{
    split_csv($0)
    if (value("state") != "done") {
        print "point " value("point") ": " value("state") ": " value("reason") >"/dev/stderr"
        exit failed = 1
    }
    text = setting_of()
    network = value("network")
    if (table == "shifts") {
        split(network, part, " ")
        bound = sprintf("%.3f", value("throughput_bound") * (part[1] == "4x4x12" ? 1.5 : 1))
        shifts[part[1], bound]++
        first[part[1], bound] = first[part[1], bound] == "" ? part[2] " and " part[3] : first[part[1], bound]
        if (bound > best[part[1]])
            best[part[1]] = bound
        next
    }
    if (table == "collectives")
        text = value("trace") " " value("mpi." tolower(value("trace")))
    if (!(text in seen)) {
        seen[text] = 1
        setting[++settings] = text
    }
    shape = network
    sub(/^[a-z]+ /, "", shape)
    # Bytes of payload that an endpoint sends per cycle, over those of a link; or times, in us.
    if (column["accepted_load"]) # the mean of the seeds
        rate[network, text] += (value("accepted_load") - rate[network, text]) / ++runs[network, text]
    else if (table == "collectives")
        rate[network, text] = value("time_ns") / 1000
    else # of a link's 50 GB/s
        rate[network, text] = 4096 * (shape == "4x4x8" ? 127 : 255) / 50 / value("time_ns")
    shapes[shape]
}

END {
    if (failed)
        exit 1
    for (i = 1; i <= settings; i++)
        for (shape in shapes)
            if ((("regular " shape, setting[i]) in rate) && (("twisted " shape, setting[i]) in rate)) {
                ratio = rate["twisted " shape, setting[i]] / rate["regular " shape, setting[i]]
                gain[setting[i], shape] = table == "collectives" ? 1 / ratio : ratio
            }
    base = "ports=6;lengths=4 KiB;routing.algorithm=dor;router.virtual_output_queues=true;router.queue_packets=16;" \
        "router.flow_control=bubble;router.injection_queues=$ports;router.ejection_ports=$ports;router.transit_first=true;" \
        "pattern=uniform;rate=2;max_cycles=8000;precision=0.02;router.arbiter=;packet.mtu=;router.delay_cycles=;routing.channels=;"
    if (table == "factors") {
        for (i = 1; i <= settings; i++) # only all combinations: the others change one property of the reference
            if (setting[i] !~ /^ports=6;lengths=4 KiB;routing.algorithm=(dor|adaptive);/ ||
                setting[i] !~ /router.queue_packets=(4|16);/ ||
                setting[i] !~ /router.arbiter=;packet.mtu=;router.delay_cycles=;routing.channels=;$/)
                setting[i] = ""
        level("`dor`", "algorithm=dor", "")
        level("`adaptive`", "algorithm=adaptive", "")
        level("`dor`, virtual output queues", "output_queues=true", "algorithm=dor")
        level("`dor`, one FIFO per channel", "output_queues=false", "algorithm=dor")
        level("`dor`, queues of 4 packets", "queue_packets=4;", "algorithm=dor")
        level("`dor`, queues of 16 packets", "queue_packets=16;", "algorithm=dor")
        level("`dor`, bubble (1 channel)", "flow_control=bubble", "algorithm=dor")
        level("`dor`, datelines (2 channels)", "flow_control=virtual-channels", "algorithm=dor")
        level("`dor`, transit first", "transit_first=true", "algorithm=dor")
        level("`dor`, transit and injection alike", "transit_first=false", "algorithm=dor")
    }
    if (table == "met")
        for (i = 1; i <= settings; i++)
            if (meets(setting[i]) && setting[i] ~ /algorithm=dor/)
                print setting[i]
    if (table == "named")
        for (i = 1; i <= settings; i++)
            if (meets(setting[i]) && setting[i] ~ /algorithm=dor/) {
                n = split(setting[i], part, ";")
                split(base, usual, ";")
                text = ""
                for (j = 3; j < n; j++)
                    if (part[j] != usual[j])
                        text = text (text == "" ? "" : ", ") part[j]
                sub(/lengths=/, "", part[2])
                gsub(/[a-z]+[.]/, "", text)
                gsub(/_/, " ", text)
                gsub(/=/, ": ", text)
                printf "| %s | %s | %.2f | %.2f |\n", part[2], text, gain[setting[i], "4x4x8"], gain[setting[i], "4x8x8"]
            }
    if (table == "each") {
        loads("**reference**", reference())
        loads("2 injection queues and ejection ports", reference("ports=6", "ports=2"))
        sub(/rate=2/, "rate=1", base)
        loads("1", reference("ports=6", "ports=1"))
        sub(/rate=1/, "rate=2", base)
        loads("arbiter: oldest first", reference("router.arbiter=", "router.arbiter=oldest"))
        loads("packets of 256 B", reference("packet.mtu=", "packet.mtu=256 B"))
        loads("1 KiB", reference("packet.mtu=", "packet.mtu=1 KiB"))
        loads("router delay 128 cycles", reference("delay_cycles=", "delay_cycles=128"))
        loads("queues of 4 packets", reference("queue_packets=16", "queue_packets=4"))
        loads("128 packets", reference("queue_packets=16", "queue_packets=128"))
        loads("messages of 512 B", reference("lengths=4 KiB", "lengths=512 B"))
        loads("16 KiB", reference("lengths=4 KiB", "lengths=16 KiB"))
        text = base
        sub(/output_queues=true/, "output_queues=false", text)
        sub(/routing.channels=/, "routing.channels=4", text)
        loads("one FIFO, 4 channels", text)
        loads("`adaptive`", reference("algorithm=dor", "algorithm=adaptive"))
        loads("`minimal`: any shortest path", reference("algorithm=dor", "algorithm=minimal"))
    }
    if (table == "orders")
        for (i = 1; i <= settings; i++) {
            text = setting[i]
            label = text ~ /mapping=identity/ ? "by rank" : "random"
            label = label (text ~ /degree: 8/ ? ", 8 at once" : text ~ /scattered/ ? ", 32 at once" : \
                text ~ /pairwise/ ? ", rounds of pairs" : ", all at once")
            if (!((text, "4x8x8") in gain)) {
                print "a measurement is missing: " text >"/dev/stderr"
                exit 1
            }
            cells[label] = cells[label] sprintf(" %.2f | %.2f |", gain[text, "4x4x8"], gain[text, "4x8x8"])
            if (++routings[label] == 3)
                print "| " label " |" cells[label]
        }
    if (table ~ /^gain /) { # least and greatest of a shape
        shape = substr(table, 6)
        for (i = n = 0; i++ < settings;)
            if ((setting[i], shape) in gain)
                sorted[++n] = gain[setting[i], shape]
        sort_gains(n)
        if (n)
            printf "%.2f %.2f\n", sorted[1], sorted[n]
    }
    if (table == "shifts")
        for (p = 1; p <= 3; p++) {
            shape = p == 1 ? "4x4x8" : p == 2 ? "4x8x8" : "4x4x12"
            for (tried = found = 0; found < (p == 3 ? 1 : 2) && tried < 5000; tried++) {
                bound = sprintf("%.3f", best[shape] - tried / 1000)
                if ((shape, bound) in shifts) {
                    found++
                    printf "| %s | %s | %d | %s |\n", shape, bound, shifts[shape, bound], first[shape, bound]
                }
            }
        }
    if (table == "collectives")
        for (i = 1; i <= settings; i++) {
            split(setting[i], part, " ")
            loads(part[1] " | `" part[2] "`", setting[i])
        }
    exit failed
}
