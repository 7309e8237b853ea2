import CByteClubExecutor
import TerminalUI

/// A list with a mark for what is in the basket: all that an app on `TerminalUI` needs.
final class GroceriesViewController: ViewController, ListViewDataSource, ListViewDelegate {
    private let list = ListView()
    private var groceries = ["Apples", "Bread", "Coffee"].map { (name: $0, isInBasket: false) }

    override func makeView() -> View { list }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.activationLabel = "in or out"
        list.reloadData()
    }

    override var preferredFirstResponder: View? { list }

    override var keyTable: KeyTable {
        KeyTable("Groceries") {
            KeyCommand("groceries.empty", keys: ["x"], title: "Empty the basket", label: "empty")
                .performs(unless: groceries.contains(where: \.isInBasket) ? nil : "It is empty.") {
                    for index in self.groceries.indices { self.groceries[index].isInBasket = false }
                    self.list.reloadData()
                }
            KeyCommand("groceries.quit", keys: ["q"], title: "Quit", label: "quit").performs {
                self.application?.terminate()
            }
        }
    }

    func numberOfRows(in list: ListView) -> Int { groceries.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        ListRow(TextLine((groceries[index].isInBasket ? "✓ " : "  ") + groceries[index].name))
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        groceries[index].name
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        groceries[index].isInBasket.toggle()
        list.reloadData()
    }
}

@main struct Groceries {
    @MainActor static func main() async throws {
        byteclub_install_executor()
        _ = try await Application(screen: CursesScreen()).run(root: GroceriesViewController())
    }
}
