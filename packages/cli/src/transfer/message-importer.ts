import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { AttachedAsset, ImportedMessageSchema } from '@parley/contracts/internal'
import { nameToEmoji } from 'gemoji'
import type { ArchivedMessage } from './archive.ts'
import type { FileImporter } from './file-importer.ts'
import type { TransferFleet } from './fleet.ts'
import type { PeopleImporter } from './people-importer.ts'
import type { Report } from './report.ts'
import type { OpenRoom, RoomImporter } from './room-importer.ts'
import { toMarkdown } from './slack/mrkdwn.ts'
import { maxBodyBytes, splitBody } from './split-body.ts'

const batchSize = 500
const maxAttachments = 10
/** A request is limited to 1 MiB. */
const maxBatchBytes = 400 * 1024
/** Longer texts are cut off: no person writes them, and a single one would fill a room with its parts. */
const maxCharacters = 1_000_000

type Outgoing = MessageInitShape<typeof ImportedMessageSchema>
type Options = { source: string; report: Report; people: PeopleImporter; rooms: RoomImporter; files: FileImporter }

export class MessageImporter {
  readonly #fleet: Pick<TransferFleet, 'messaging'>
  readonly #options: Options
  readonly #room: OpenRoom
  /** Locations of the waiting messages, by external id. */
  readonly #locations = new Map<string, string>()
  #unchecked: ArchivedMessage[] = []
  #waiting: Outgoing[] = []
  #bytes = 0
  /** True if this or an earlier import wrote messages. */
  hasMessages: boolean

  constructor(fleet: Pick<TransferFleet, 'messaging'>, options: Options, room: OpenRoom) {
    this.#fleet = fleet
    this.#options = options
    this.#room = room
    this.hasMessages = room.hasImportedMessages
  }

  async add(message: ArchivedMessage): Promise<void> {
    if (this.#unchecked.push(message) >= batchSize) await this.#enqueueNew()
  }

  async flush(): Promise<void> {
    await this.#enqueueNew()
    await this.#sendWaiting()
  }

  async #enqueueNew(): Promise<void> {
    const unchecked = this.#unchecked.splice(0)
    const known = await this.#findKnown(unchecked.map(({ id }) => id))
    for (const message of unchecked) {
      const parts = known.has(message.id) ? await this.#missingParts(message) : await this.#convert(message)
      for (const outgoing of parts) await this.#enqueue(outgoing, message.location)
    }
  }

  async #findKnown(externalIds: string[]): Promise<Set<string>> {
    if (!this.#room.hasImportedMessages || externalIds.length === 0) return new Set()
    const { roomId } = this.#room
    return new Set((await this.#fleet.messaging.findImportedMessages({ roomId, externalIds })).externalIds)
  }

  /** An earlier run may have written only some parts of a split message. */
  async #missingParts(message: ArchivedMessage): Promise<Outgoing[]> {
    if (message.text.length <= maxBodyBytes / 4) return []
    const parts = (await this.#convert({ ...message, files: [] }, 'again')).slice(1)
    const known = await this.#findKnown(parts.map(({ externalId = '' }) => externalId))
    return parts.filter(({ externalId = '' }) => !known.has(externalId))
  }

  async #enqueue(outgoing: Outgoing, location: string): Promise<void> {
    const bytes = sizeOf(outgoing)
    if (this.#waiting.length >= batchSize || this.#bytes + bytes > maxBatchBytes) await this.#sendWaiting()
    this.#waiting.push(outgoing)
    this.#bytes += bytes
    this.#locations.set(outgoing.externalId ?? '', location)
  }

  async #sendWaiting(): Promise<void> {
    const messages = this.#waiting
    if (messages.length === 0) return
    await this.#send(messages)
    this.#waiting = []
    this.#bytes = 0
    this.#locations.clear()
  }

  /**
   * If a batch is refused, each half is sent again, so that only invalid messages are left out. If the room is
   * refused, all are left out.
   */
  async #send(messages: Outgoing[]): Promise<void> {
    const { source, report } = this.#options
    try {
      const { roomId } = this.#room
      const { written, ...more } = await this.#fleet.messaging.importMessages({ source, roomId, messages })
      report.addImported('messages', written - more.replies)
      report.addImported('replies', more.replies)
      report.addImported('reactions', more.reactions)
      for (const id of more.orphanedExternalIds)
        report.addAltered(
          'replies',
          'their thread is not in the archive; they became messages of the room',
          this.#locations.get(id) ?? id,
        )
      this.hasMessages ||= written > 0
    } catch (error) {
      const { code, rawMessage } = ConnectError.from(error)
      const isRoomRefused = code === Code.FailedPrecondition
      if (!isRoomRefused && code !== Code.InvalidArgument && code !== Code.ResourceExhausted) throw error
      if (!isRoomRefused && messages.length > 1) {
        const middle = Math.ceil(messages.length / 2)
        await this.#send(messages.slice(0, middle))
        await this.#send(messages.slice(middle))
        return
      }
      for (const { externalId = '' } of messages) {
        // The report gives the location of the message, so the reason need not repeat its id.
        const why = rawMessage.replace(/^message .*?: /s, '')
        report.addSkipped('messages', why, this.#locations.get(externalId) ?? '')
      }
    }
  }

  /** A message that is too long becomes several. */
  async #convert(message: ArchivedMessage, run: 'first' | 'again' = 'first'): Promise<Outgoing[]> {
    const { people, report } = this.#options
    const { id, createdAt, updatedAt, deletedAt, threadRoot, inReplyTo, location } = message
    const author = people.find(message.author)
    const skip = (reason: string): Outgoing[] => {
      report.addSkipped('messages', reason, location)
      return []
    }
    if (!author) return skip('the archive does not say who wrote it')
    const base: Outgoing = {
      ...{ externalId: id, authorId: author.userId, createdAt: timestampFromDate(createdAt) },
      ...{ threadRootExternalId: threadRoot, inReplyToExternalId: inReplyTo, alsoInChannel: message.alsoInChannel },
    }
    if (deletedAt) return [{ ...base, deletedAt: timestampFromDate(deletedAt) }]
    const attachments = await this.#attach(message, author.userId)
    const [first = '', ...rest] = splitBody(this.#bodyOf(message))
    if (attachments.length === 0 && !visible.test(first)) return skip('it contains nothing that can be shown')
    if (rest.length > 0 && run === 'first')
      report.addAltered('messages', `longer than ${maxBodyBytes} bytes; they were split into several`, location)
    const firstPart: Outgoing = {
      ...{ ...base, body: first, reactions: this.#reactionsOf(message), attachments },
      ...(updatedAt && { updatedAt: timestampFromDate(updatedAt) }),
      ...(message.preview && { linkPreview: message.preview }),
    }
    const parts = rest.map((body, index): Outgoing => ({ ...base, body, externalId: `${id}#${index + 2}` }))
    return [firstPart, ...parts]
  }

  async #attach({ files, id, location }: ArchivedMessage, ownerId: string): Promise<AttachedAsset[]> {
    const attached: AttachedAsset[] = []
    for (const [index, file] of files.entries()) {
      if (index >= maxAttachments) {
        this.#options.report.addSkipped('files', `a message has at most ${maxAttachments}`, location)
        continue
      }
      const asset = await this.#options.files.import(file, {
        roomId: this.#room.roomId,
        ownerId,
        messageId: id,
        location,
      })
      if (asset) attached.push(asset)
    }
    return attached
  }

  #bodyOf({ text, markup, location }: ArchivedMessage): string {
    const { people, rooms, report } = this.#options
    if (text.length > maxCharacters)
      report.addAltered('messages', `longer than ${maxCharacters} characters; the rest was cut off`, location)
    const clean = text.slice(0, maxCharacters).replaceAll('\0', '')
    if (markup === 'markdown') return clean
    const login = (id: string) => people.find(id)?.login || undefined
    return toMarkdown(clean, { login, room: (id) => rooms.nameOf(id) })
  }

  #reactionsOf({ reactions, location }: ArchivedMessage): NonNullable<Outgoing['reactions']> {
    const { people, report } = this.#options
    return reactions.flatMap(({ emoji: name, people: ids }) => {
      const emoji = knownEmoji(name)
      if (emoji === undefined) {
        report.addSkipped('reactions', `this server has no emoji ":${name.slice(0, 40)}:"`, location)
        return []
      }
      const userIds = ids.flatMap((id) => people.find(id)?.userId ?? [])
      return userIds.length > 0 ? { emoji, userIds } : []
    })
  }
}

/** A character that is visible when printed. */
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** The skin tone is left out. Undefined if this server has no such emoji. */
function knownEmoji(name: string): string | undefined {
  const emoji = name.replace(/::skin-tone-\d$/, '')
  return Object.hasOwn(nameToEmoji, emoji) ? emoji : undefined
}

function sizeOf({ body = '', reactions = [], attachments = [], linkPreview, ...ids }: Outgoing): number {
  const people = reactions.reduce((sum, { userIds = [] }) => sum + userIds.length, 0)
  const named = [ids.externalId, ids.threadRootExternalId, ids.inReplyToExternalId].join('').length
  const preview = linkPreview ? JSON.stringify(linkPreview).length : 0
  return Buffer.byteLength(body) + people * 20 + named + attachments.length * 400 + preview + 300
}
