import type { MemberClient } from '@parley/client'
import { Cell } from '../state/cell.ts'
import { Upload } from './upload.ts'

/** Maximum number of files of one message. */
const maxFiles = 10

let latest: { userId: string; files: PendingFiles } | undefined

/**
 * Returns the files of a user. They are kept when the page starts again, for example in another language; those of
 * another user are discarded.
 */
export function pendingFilesOf(server: MemberClient, userId: string): PendingFiles {
  if (latest?.userId !== userId) {
    latest?.files.discardAll()
    latest = { userId, files: new PendingFiles(server) }
  }
  return latest.files
}

/** Files for the next message of each room and thread. Uploads continue while the user is elsewhere. */
export class PendingFiles {
  readonly #server: MemberClient
  readonly #conversations = new Map<string, Cell<readonly Upload[]>>()

  constructor(server: MemberClient) {
    this.#server = server
  }

  /** The files for the next message of a conversation. */
  in(conversation: string): Cell<readonly Upload[]> {
    let cell = this.#conversations.get(conversation)
    if (!cell) this.#conversations.set(conversation, (cell = new Cell<readonly Upload[]>([])))
    return cell
  }

  /** Number of files in all conversations. */
  count(): number {
    return [...this.#conversations.values()].reduce((sum, { value }) => sum + value.length, 0)
  }

  /** Starts to upload files, up to the maximum number per message. */
  add(conversation: string, roomId: string, files: Iterable<File>): void {
    this.in(conversation).update((uploads) => {
      const free = maxFiles - uploads.length
      return [...uploads, ...[...files].slice(0, free).map((file) => new Upload(this.#server, roomId, file))]
    })
  }

  remove(conversation: string, upload: Upload): void {
    upload.cancel()
    this.in(conversation).update((uploads) => uploads.filter((one) => one !== upload))
  }

  /** Cancels all uploads, and removes their files. */
  discardAll(): void {
    for (const [conversation, { value }] of this.#conversations)
      for (const upload of value) this.remove(conversation, upload)
  }

  /** Removes files that were sent with a message. */
  clear(conversation: string): void {
    this.in(conversation).set([])
  }
}
