export function nameWithoutExtension(fileName: string): string {
  return fileName.replace(/\.[^.]*$/, "") || fileName;
}
