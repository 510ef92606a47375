import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { exitCodes, Failure } from '../../failure.ts'

/** Larger than one day of any real channel, and small enough to hold in memory. */
const maxJsonBytes = 256 * 1024 * 1024
/** Every value costs memory, even if it has only a few bytes. */
const maxJsonValues = 5_000_000
const maxEntries = 2_000_000
/** Unpacked size divided by packed size. For text it is usually about 10. */
const maxRatio = 200
/** Unpacked size in bytes from which the ratio is checked. */
const ratioCheckedFrom = 16 * 1024 * 1024

export const badArchive = (message: string) => new Failure(exitCodes.refused, 'bad_archive', message)

export class BadEntry extends Error {}

export class ZipArchive implements AsyncDisposable {
  readonly #zip: ZipFile
  readonly #entries: Map<string, Entry>

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Throws a {@link Failure} when the file is missing, not a zip archive, damaged or malicious. */
  static async open(path: string): Promise<ZipArchive> {
    const name = basename(path)
    const zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        throw badArchive(`there is no file ${path}`)
      throw badArchive(`${name} cannot be read as a zip archive: ${reason(error)}`)
    })
    const entries = new Map<string, Entry>()
    let compressedBytes = 0
    try {
      for await (const entry of zip.eachEntry()) {
        if (entries.size >= maxEntries) throw badArchive(`${name} contains more than ${maxEntries} files`)
        compressedBytes += entry.compressedSize
        const path = pathOf(entry)
        if (path.endsWith('/')) continue
        // It would be ambiguous which of the two to read.
        if (entries.has(path)) throw badArchive(`${name} contains ${path} twice`)
        entries.set(path, entry)
      }
      if (compressedBytes > zip.fileSize) throw badArchive(`${name} is damaged or malicious: its files overlap`)
    } catch (error) {
      zip.close()
      throw error instanceof Failure ? error : badArchive(`${name} is damaged or malicious: ${reason(error)}`)
    }
    return new ZipArchive(zip, entries)
  }

  names(): Iterable<string> {
    return this.#entries.keys()
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  size(name: string): number {
    return this.#entry(name).uncompressedSize
  }

  /** Throws a {@link BadEntry} if the file is missing, damaged, or unpacks to much more than its packed size. */
  async *stream(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entry(name)
    const { uncompressedSize, compressedSize } = entry
    if (uncompressedSize > ratioCheckedFrom && uncompressedSize > compressedSize * maxRatio)
      throw new BadEntry(`unpacks to more than ${maxRatio} times its size`)
    let sum = 0
    try {
      const bytes = await this.#zip.openReadStreamPromise(entry)
      for await (const piece of bytes as AsyncIterable<Buffer>) {
        sum = crc32(piece, sum)
        yield piece
      }
    } catch (error) {
      throw new BadEntry(reason(error))
    }
    if (sum !== entry.crc32) throw new BadEntry('is damaged')
  }

  /** Throws a {@link BadEntry} as `stream` does, and if the file is too large or not valid JSON. */
  async json(name: string): Promise<unknown> {
    if (this.size(name) > maxJsonBytes) throw new BadEntry(`is larger than ${maxJsonBytes} bytes`)
    const chunks: Buffer[] = []
    let values = 0
    for await (const chunk of this.stream(name)) {
      chunks.push(chunk)
      for (const byte of chunk) if (byte === comma || byte === bracket || byte === brace) values++
      if (values > maxJsonValues) throw new BadEntry(`contains more than ${maxJsonValues} commas, brackets and braces`)
    }
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))) as unknown
    } catch {
      // The parser's message may quote the text, which must not appear in a report.
      throw new BadEntry('is not JSON')
    }
  }

  #entry(name: string): Entry {
    const entry = this.#entries.get(name)
    if (!entry) throw new BadEntry('is missing')
    return entry
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#zip.close()
  }
}

const [comma, bracket, brace] = Buffer.from(',[{')

/** Many zip programs write UTF-8 without declaring it, and some store accented letters decomposed. */
function pathOf({ fileName, fileNameRaw }: Entry): string {
  const isUtf8 = Buffer.from(fileNameRaw.toString('utf8')).equals(fileNameRaw)
  return (isUtf8 ? fileNameRaw.toString('utf8') : fileName).normalize('NFC')
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
