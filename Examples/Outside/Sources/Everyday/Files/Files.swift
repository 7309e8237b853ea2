/// A target of the program's own.
public enum FilesName {}
