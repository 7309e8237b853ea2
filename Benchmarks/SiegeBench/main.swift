import Foundation

// SiegeBench [SECONDS]: honest requests to `byteclub serve --listen` alone, then beside 300 hostile
// connections of six kinds. It fails when a request was not answered.

let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 600
let besiegerCount = 300
let club = try ServedClub(program: ".build/release/byteclub")
defer { club.stop() }

func row(_ name: String, _ experience: Experience) {
    let figures = [0.5, 0.99, 1].map { String(format: "%8.2f", experience.percentile($0)) }
    print(
        "| \(name) | \(experience.milliseconds.count) | \(figures.joined(separator: " | ")) | "
            + "\(experience.busyCount) | \(experience.failureCount) |")
}

_ = HonestClients.work(on: club.port, token: club.token, seconds: 1)
let alone = HonestClients.work(on: club.port, token: club.token, seconds: max(2, seconds / 10))
let before = club.megabytes("VmRSS")
let besiegers = Besiegers(port: club.port, count: besiegerCount)
usleep(500_000)
let besieged = HonestClients.work(on: club.port, token: club.token, seconds: seconds)
besiegers.stop()
let after = club.megabytes("VmRSS")

print(
    "## A club under siege: \(Int(seconds)) s, \(besiegerCount) hostile connections of six kinds\n")
print("| requests | answered | p50 ms | p99 ms | longest ms | told to wait | failed |")
print("|---|---|---|---|---|---|---|")
row("alone", alone)
row("beside the siege", besieged)
print(
    String(
        format: "\nThe server's memory: %.1f MB before, %.1f MB after, %.1f MB at most. ", before,
        after, club.megabytes("VmHWM"))
        + "The besiegers came again \(besiegers.reconnectionCount) times.")
if besieged.failureCount > 0 || besieged.milliseconds.isEmpty {
    club.stop()
    exit(1)
}
