# Options of smpirun from a machine file of `vef fit pingpong`: the same overheads and transfer times, piece by piece,
# for a link of 1 GB/s and 1 ns. Between two pieces SimGrid takes the factor of the last size that is not larger.
function bytes(number, unit) {
    return unit == "KiB" ? number * 1024 : unit == "MiB" ? number * 1048576 : number + 0
}
function number(key) {
    return match($0, key ": [0-9.]+") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) + 0 : 0
}
function joined(list, piece) { return list (list ? ";" : "") piece }
/^  [a-z_]+:/ { key = $1; sub(":", "", key); from = 0 }
/eager_threshold/ { eager = bytes($2, $3) }
/fixed:/ {
    fixed = number("fixed")
    slope = number("per_byte")
    pieces[key] = joined(pieces[key], from ":" fixed * 1e-9 ":" slope * 1e-9)
    if (key == "memory_time") {
        latency = joined(latency, from ":" (fixed > 0.001 ? fixed : 0.001)) # factors are not 0
        bandwidth = joined(bandwidth, from ":" 1 / (slope > 1e-5 ? slope : 1e-5))
    }
    if (match($0, /up_to: [0-9]+ [A-Za-z]+/)) {
        split(substr($0, RSTART + 7, RLENGTH - 7), limit, " ")
        from = bytes(limit[1], limit[2]) + 1
    }
}
END {
    printf "--cfg=smpi/os:%s --cfg=smpi/ois:%s --cfg=smpi/or:%s ", pieces["send_overhead"], pieces["isend_overhead"],
        pieces["receive_overhead"]
    printf "--cfg=smpi/lat-factor:%s --cfg=smpi/bw-factor:%s ", latency, bandwidth
    printf "--cfg=smpi/async-small-thresh:%d --cfg=smpi/send-is-detached-thresh:%d\n", eager, eager
}
