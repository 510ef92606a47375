import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { exitCodes, Failure } from '../../failure.ts'

/** Larger than any real day of a channel, and small enough to hold. */
const mostJsonBytes = 256 * 1024 * 1024
const mostEntries = 2_000_000

export const badArchive = (message: string) => new Failure(exitCodes.refused, 'bad_archive', message)

/** A file of the archive that is not what it should be. */
export class BadEntry extends Error {}

/** A zip archive that is read entry by entry. */
export class ZipArchive implements AsyncDisposable {
  readonly #zip: ZipFile
  readonly #entries: Map<string, Entry>

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Reads the table of contents. Throws a {@link Failure} when it is no zip, or none that could come from Slack. */
  static async open(path: string): Promise<ZipArchive> {
    const name = basename(path)
    const zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        throw badArchive(`there is no file ${path}`)
      throw badArchive(`${name} cannot be read as a zip archive: ${reason(error)}`)
    })
    const entries = new Map<string, Entry>()
    try {
      for await (const entry of zip.eachEntry()) {
        if (entries.size >= mostEntries) throw badArchive(`${name} holds more than ${mostEntries} files`)
        if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry)
      }
    } catch (error) {
      zip.close()
      throw error instanceof Failure ? error : badArchive(`${name} is damaged or made to harm: ${reason(error)}`)
    }
    return new ZipArchive(zip, entries)
  }

  names(): Iterable<string> {
    return this.#entries.keys()
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Bytes of a file, unpacked. */
  size(name: string): number {
    return this.#entry(name).uncompressedSize
  }

  /** Throws a {@link BadEntry} when the file cannot be unpacked. */
  async stream(name: string): Promise<Readable> {
    const entry = this.#entry(name)
    return this.#zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw new BadEntry(reason(error))
    })
  }

  /** A file as JSON. Throws a {@link BadEntry} when it is none. */
  async json(name: string): Promise<unknown> {
    if (this.size(name) > mostJsonBytes) throw new BadEntry(`is larger than ${mostJsonBytes} bytes`)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of (await this.stream(name)) as AsyncIterable<Buffer>) chunks.push(chunk)
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))) as unknown
    } catch (error) {
      if (error instanceof BadEntry) throw error
      // Of a broken text no piece may come into a report.
      throw new BadEntry(error instanceof SyntaxError || error instanceof TypeError ? 'is not JSON' : reason(error))
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

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
