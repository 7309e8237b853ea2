import ArgumentParser
import ClubAccess

/// The option that allows photos on a metered network.
struct MeteredOption: ParsableArguments {
    @Flag(help: "Use a metered network, too, regardless of wait-on-metered.")
    var metered = false

    /// Whether to refuse requests on a metered network: the settings ask for it, and the option does not
    /// override it.
    func avoidsMeteredNetworks(_ settings: TransferSettings) -> Bool {
        settings.waitsOnMeteredNetworks && !metered
    }
}
