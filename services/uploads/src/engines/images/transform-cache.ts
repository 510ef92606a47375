import type { ResizedImage } from './image-processor.ts'

/** A size of a picture: the tag stands for the bytes. */
export type PictureSize = { picture: string; tag: string }

type Entry = PictureSize & ({ made: ResizedImage } | { making: Promise<ResizedImage> })

/** Sizes of one picture that are kept: more than clients ask for. */
const mostPerPicture = 8

/**
 * Keeps sizes that were made lately, up to so many bytes and a few of each picture; concurrent questions for one size make
 * it once.
 */
export class TransformCache {
  readonly #maxBytes: number
  /** By picture and tag, those asked for longest ago first. */
  readonly #entries = new Map<string, Entry>()
  /** Ids of the sizes that are kept, by picture. */
  readonly #kept = new Map<string, Set<string>>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(size: PictureSize, make: () => Promise<ResizedImage>): Promise<ResizedImage> | ResizedImage {
    const id = `${size.picture} ${size.tag}`
    const entry = this.#entries.get(id)
    if (!entry) return this.#make(id, size, make)
    if ('making' in entry) return entry.making
    this.#drop(id, entry)
    this.#add(id, entry)
    return entry.made
  }

  #make(id: string, size: PictureSize, make: () => Promise<ResizedImage>): Promise<ResizedImage> {
    const making = make().then(
      (made) => {
        this.#entries.delete(id)
        this.#keep(id, { ...size, made })
        return made
      },
      (error: unknown) => {
        this.#entries.delete(id)
        throw error
      },
    )
    this.#entries.set(id, { ...size, making })
    return making
  }

  #keep(id: string, entry: PictureSize & { made: ResizedImage }): void {
    this.#add(id, entry)
    const ofPicture = this.#kept.get(entry.picture) ?? new Set()
    if (ofPicture.size > mostPerPicture) this.#dropFirst(ofPicture)
    if (this.#bytes > this.#maxBytes) this.#dropFirst(this.#entries.keys())
  }

  /** Drops the first of these sizes that is kept, and more of them while there are too many bytes. */
  #dropFirst(ids: Iterable<string>): void {
    for (const id of ids) {
      const entry = this.#entries.get(id)
      if (!entry || 'making' in entry) continue
      this.#drop(id, entry)
      if (this.#bytes <= this.#maxBytes) return
    }
  }

  #add(id: string, entry: PictureSize & { made: ResizedImage }): void {
    this.#entries.set(id, entry)
    this.#bytes += entry.made.bytes.length
    const ofPicture = this.#kept.get(entry.picture)
    if (ofPicture) ofPicture.add(id)
    else this.#kept.set(entry.picture, new Set([id]))
  }

  #drop(id: string, { picture, made }: PictureSize & { made: ResizedImage }): void {
    this.#entries.delete(id)
    this.#bytes -= made.bytes.length
    const ofPicture = this.#kept.get(picture)
    ofPicture?.delete(id)
    if (ofPicture?.size === 0) this.#kept.delete(picture)
  }
}
