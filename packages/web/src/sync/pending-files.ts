import type { MemberClient } from '@parley/client'
import { Cell } from '../state/cell.ts'
import { Upload } from './upload.ts'

/** Maximum number of files of one message. */
const mostFiles = 10

/** Files for the next message of a room or thread. Uploads continue while the user is elsewhere. */
export class PendingFiles {
  readonly #server: MemberClient
  readonly #places = new Map<string, Cell<readonly Upload[]>>()

  constructor(server: MemberClient) {
    this.#server = server
  }

  in(place: string): Cell<readonly Upload[]> {
    let cell = this.#places.get(place)
    if (!cell) this.#places.set(place, (cell = new Cell<readonly Upload[]>([])))
    return cell
  }

  /** How many there are in all rooms and threads. */
  count(): number {
    return [...this.#places.values()].reduce((sum, { value }) => sum + value.length, 0)
  }

  /** Begins to upload; files beyond what one message takes are left out. */
  add(place: string, roomId: string, files: Iterable<File>): void {
    this.in(place).update((uploads) => {
      const room = mostFiles - uploads.length
      return [...uploads, ...[...files].slice(0, room).map((file) => new Upload(this.#server, roomId, file))]
    })
  }

  remove(place: string, upload: Upload): void {
    upload.cancel()
    this.in(place).update((uploads) => uploads.filter((one) => one !== upload))
  }

  /** Removes files that were sent with a message. */
  sent(place: string): void {
    this.in(place).set([])
  }
}
