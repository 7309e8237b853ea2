import ArgumentParser
import ClubAccess

/// The option that allows photos on a metered network.
struct MeteredOption: ParsableArguments {
    @Flag(help: "Also on a metered network, whatever wait-on-metered says.")
    var metered = false

    /// Whether to refuse requests on a metered network: the settings ask for it, and the option does not
    /// override it.
    func avoidsMeteredNetworks(_ settings: TransferSettings) -> Bool {
        settings.waitsOnMeteredNetworks && !metered
    }
}
