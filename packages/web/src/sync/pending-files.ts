import type { MemberClient } from '@parley/client'
import { Cell } from '../state/cell.ts'
import type { NewMessage } from './sender.ts'
import { Upload } from './upload.ts'

/** Maximum number of files of one message. */
const maxFiles = 10

/** A message without its files. */
export type Written = Omit<NewMessage, 'attachmentAssetIds' | 'filenames'>

type Send = (conversation: string, message: NewMessage) => void

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

/**
 * Files for the next message of each room and thread, and messages that are sent once their files are uploaded.
 * Uploading and sending continue while another conversation is shown.
 */
export class PendingFiles {
  readonly #server: MemberClient
  readonly #conversations = new Map<string, Cell<readonly Upload[]>>()
  readonly #written = new Map<string, Cell<Written | undefined>>()
  /** Conversations in which a message waits for a file that the server has refused. */
  readonly blocked = new Cell<readonly string[]>([])
  #send: Send | undefined

  constructor(server: MemberClient) {
    this.#server = server
  }

  /** The files for the next message of a conversation. */
  in(conversation: string): Cell<readonly Upload[]> {
    let cell = this.#conversations.get(conversation)
    if (!cell) {
      this.#conversations.set(conversation, (cell = new Cell<readonly Upload[]>([])))
      cell.subscribe(() => this.#updateBlocked())
    }
    return cell
  }

  /** The message of a conversation that waits for its files. */
  writtenIn(conversation: string): Cell<Written | undefined> {
    let cell = this.#written.get(conversation)
    if (!cell) {
      this.#written.set(conversation, (cell = new Cell<Written | undefined>(undefined)))
      cell.subscribe(() => this.#updateBlocked())
    }
    return cell
  }

  /** Sends a message once its files are uploaded: at once, if there are none. */
  send(conversation: string, message: Written): void {
    this.writtenIn(conversation).set(message)
    this.#sendIfUploaded(conversation)
  }

  /** Changes a waiting message. */
  amend(conversation: string, change: Partial<Written>): void {
    this.writtenIn(conversation).update((message) => message && { ...message, ...change })
  }

  /** Gives messages to `send` as soon as their files are uploaded, until the returned function is called. */
  sendWith(send: Send): () => void {
    this.#send = send
    for (const conversation of this.#written.keys()) this.#sendIfUploaded(conversation)
    return () => {
      // The page may have started again before, and called this method with another function.
      if (this.#send === send) this.#send = undefined
    }
  }

  /** Number of files in all conversations. */
  count(): number {
    return [...this.#conversations.values()].reduce((sum, { value }) => sum + value.length, 0)
  }

  /** Starts to upload files, up to the maximum number per message. */
  add(conversation: string, roomId: string, files: Iterable<File>): void {
    this.in(conversation).update((uploads) => {
      const free = maxFiles - uploads.length
      const added = [...files].slice(0, free).map((file) => new Upload(this.#server, roomId, file))
      for (const { state } of added)
        state.subscribe(() => {
          this.#updateBlocked()
          this.#sendIfUploaded(conversation)
        })
      return [...uploads, ...added]
    })
  }

  /** Continues failed uploads, because the server is reachable again. */
  resumeFailed(): void {
    for (const { value } of this.#conversations.values())
      for (const upload of value) if (upload.state.value.at === 'failed') void upload.resume()
  }

  remove(conversation: string, upload: Upload): void {
    upload.cancel()
    this.in(conversation).update((uploads) => uploads.filter((one) => one !== upload))
    this.#sendIfUploaded(conversation)
  }

  /** Cancels all uploads, and removes their files and the messages that wait for them. */
  discardAll(): void {
    for (const cell of this.#written.values()) cell.set(undefined)
    for (const [conversation, { value }] of this.#conversations)
      for (const upload of value) this.remove(conversation, upload)
  }

  #updateBlocked(): void {
    const hasRefused = (uploads: readonly Upload[]) => uploads.some(({ state }) => state.value.at === 'refused')
    const blocked = [...this.#conversations].flatMap(([conversation, { value }]) =>
      hasRefused(value) && this.#written.get(conversation)?.value !== undefined ? [conversation] : [],
    )
    this.blocked.set(blocked)
  }

  #sendIfUploaded(conversation: string): void {
    const message = this.writtenIn(conversation).value
    const uploads = this.in(conversation).value
    const assetIds = uploads.flatMap(({ state: { value } }) => (value.at === 'done' ? [value.assetId] : []))
    if (!message || !this.#send || assetIds.length < uploads.length) return
    this.writtenIn(conversation).set(undefined)
    this.in(conversation).set([])
    if (message.body.trim() === '' && uploads.length === 0) return
    const filenames = uploads.map(({ file }) => file.name)
    this.#send(conversation, { ...message, attachmentAssetIds: assetIds, filenames })
  }
}
