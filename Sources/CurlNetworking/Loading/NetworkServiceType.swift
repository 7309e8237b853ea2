extension URLRequest {
    /// The purpose of a transfer. The raw values are Apple's.
    public enum NetworkServiceType: UInt, Sendable {
        case `default` = 0
        case voip = 1
        case video = 2
        case background = 3
        case voice = 4
        case responsiveData = 6
        case avStreaming = 8
        case responsiveAV = 9
        case callSignaling = 11

        /// ``callSignaling`` by FoundationNetworking's name.
        public static var networkServiceTypeCallSignaling: Self { .callSignaling }
    }
}
