/** The number of characters at the end of a text that exceed a limit in bytes of UTF-8. */
export function excessCharacters(text: string, maxBytes: number): number {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return [...text.slice(read)].length
}
