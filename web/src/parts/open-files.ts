/** Opens files that the user has selected or dropped. */
export type OpenFiles = (files: readonly File[], options?: { isAdding?: boolean }) => Promise<void>;

/** The maximum number of files in a folder. A larger folder is probably a mistake. */
const MOST_FILES = 2000;

/** Returns the dropped files, including files in folders. */
export async function droppedFiles(data: DataTransfer): Promise<File[]> {
  // both lists are empty after the event
  const files = [...data.files];
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some(({ isDirectory }) => isDirectory)) return files;
  const found: File[] = [];
  for (const entry of entries) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (found.length >= MOST_FILES) return;
  if (isFile(entry)) {
    found.push(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // a folder returns its entries in batches
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    for (const one of entries) await collect(one, found);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
