import ArgumentParser
import ClubAccess

/// Whether photos may go over a network that is paid by volume.
struct MeteredOption: ParsableArguments {
    @Flag(help: "Also on a metered network, whatever wait-on-metered says.")
    var metered = false

    /// Whether requests are refused on such a network: the settings ask for it, and the person does not ask for more.
    func avoidsMeteredNetworks(_ settings: TransferSettings) -> Bool {
        settings.waitsOnMeteredNetworks && !metered
    }
}
