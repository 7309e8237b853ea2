import ArgumentParser
import ByteClub

extension ByteRate: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}
