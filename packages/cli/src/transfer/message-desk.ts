import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import type { AttachedAsset, ImportedMessageSchema } from '@parley/contracts/internal'
import { nameToEmoji } from 'gemoji'
import type { ArchivedMessage } from './archive.ts'
import type { FileDesk } from './file-desk.ts'
import type { TransferFleet } from './fleet.ts'
import type { PeopleDesk } from './people-desk.ts'
import type { Report } from './report.ts'
import type { OpenRoom, RoomDesk } from './room-desk.ts'
import { toMarkdown } from './slack/mrkdwn.ts'
import { mostBodyBytes, splitBody } from './split-body.ts'

const messagesAtOnce = 500
const mostAttachments = 10
/** A call holds at most 1 MiB. */
const bytesAtOnce = 400 * 1024
/** What is surely written needs no second look; archives are not always in order to the second. */
const overlapMs = 2 * 24 * 3600_000

type Outgoing = MessageInitShape<typeof ImportedMessageSchema>
type Terms = { source: string; report: Report; people: PeopleDesk; rooms: RoomDesk; files: FileDesk }

/** Takes the messages of one room, many in one call. */
export class MessageDesk {
  readonly #fleet: Pick<TransferFleet, 'messaging'>
  readonly #terms: Terms
  readonly #room: OpenRoom
  readonly #places = new Map<string, string>()
  #waiting: Outgoing[] = []
  #bytes = 0
  /** Whether the import wrote anything into the room, now or earlier. */
  holdsMessages: boolean

  constructor(fleet: Pick<TransferFleet, 'messaging'>, terms: Terms, room: OpenRoom) {
    this.#fleet = fleet
    this.#terms = terms
    this.#room = room
    this.holdsMessages = room.through !== undefined
  }

  async take(message: ArchivedMessage): Promise<void> {
    const { through } = this.#room
    if (through && message.createdAt.getTime() < through.getTime() - overlapMs) return
    for (const outgoing of await this.#convert(message)) {
      const bytes = sizeOf(outgoing)
      if (this.#waiting.length >= messagesAtOnce || this.#bytes + bytes > bytesAtOnce) await this.flush()
      this.#waiting.push(outgoing)
      this.#bytes += bytes
      this.#places.set(outgoing.externalId ?? '', message.place)
    }
  }

  async flush(): Promise<void> {
    const messages = this.#waiting
    if (messages.length === 0) return
    const { report } = this.#terms
    const { written, replies, reactions, orphanedExternalIds } = await this.#send(messages)
    report.took('messages', written - replies)
    report.took('replies', replies)
    report.took('reactions', reactions)
    for (const id of orphanedExternalIds)
      report.altered('replies', 'the thread is not in the archive; they became messages', this.#places.get(id) ?? id)
    this.holdsMessages ||= written > 0
    this.#waiting = []
    this.#bytes = 0
    this.#places.clear()
  }

  async #send(messages: Outgoing[]) {
    const { source, report } = this.#terms
    try {
      return await this.#fleet.messaging.importMessages({ source, roomId: this.#room.roomId, messages })
    } catch (error) {
      const { code, rawMessage } = ConnectError.from(error)
      if (code !== Code.FailedPrecondition) throw error
      for (const { externalId = '' } of messages)
        report.left('messages', rawMessage, this.#places.get(externalId) ?? '')
      return { written: 0, replies: 0, reactions: 0, orphanedExternalIds: [] }
    }
  }

  /** The message, or the parts that it is cut into. */
  async #convert(message: ArchivedMessage): Promise<Outgoing[]> {
    const { people, report } = this.#terms
    const { id, createdAt, updatedAt, deletedAt, threadRoot, inReplyTo, place } = message
    const author = people.find(message.author)
    const left = (reason: string): Outgoing[] => {
      report.left('messages', reason, place)
      return []
    }
    if (!author) return left('the archive does not say who wrote it')
    const base: Outgoing = {
      ...{ externalId: id, authorId: author.userId, createdAt: timestampFromDate(createdAt) },
      ...{ threadRootExternalId: threadRoot, inReplyToExternalId: inReplyTo, alsoInChannel: message.alsoInChannel },
    }
    if (deletedAt) return [{ ...base, deletedAt: timestampFromDate(deletedAt) }]
    const attachments = await this.#attach(message, author.userId)
    const [first = '', ...rest] = splitBody(this.#bodyOf(message))
    if (attachments.length === 0 && !visible.test(first)) return left('nothing of it can be shown')
    if (rest.length > 0)
      report.altered('messages', `longer than ${mostBodyBytes} bytes; they were cut into several`, place)
    const whole: Outgoing = {
      ...{ ...base, body: first, reactions: this.#reactionsOf(message), attachments },
      ...(updatedAt && { updatedAt: timestampFromDate(updatedAt) }),
      ...(message.preview && { linkPreview: message.preview }),
    }
    const parts = rest.map((body, index): Outgoing => ({ ...base, body, externalId: `${id}#${index + 2}` }))
    return [whole, ...parts]
  }

  async #attach({ files, id, place }: ArchivedMessage, ownerId: string): Promise<AttachedAsset[]> {
    const taken: AttachedAsset[] = []
    for (const [index, file] of files.entries()) {
      if (index >= mostAttachments) {
        this.#terms.report.left('files', `a message has at most ${mostAttachments}`, place)
        continue
      }
      const asset = await this.#terms.files.take(file, { roomId: this.#room.roomId, ownerId, messageId: id, place })
      if (asset) taken.push(asset)
    }
    return taken
  }

  #bodyOf({ text, markup }: ArchivedMessage): string {
    const { people, rooms } = this.#terms
    const clean = text.replaceAll('\0', '')
    if (markup === 'markdown') return clean
    const login = (id: string) => people.find(id)?.login || undefined
    return toMarkdown(clean, { login, room: (id) => rooms.nameOf(id) })
  }

  #reactionsOf({ reactions, place }: ArchivedMessage): NonNullable<Outgoing['reactions']> {
    const { people, report } = this.#terms
    return reactions.flatMap(({ emoji: name, people: ids }) => {
      const emoji = knownEmoji(name)
      if (emoji === undefined) {
        report.left('reactions', `there is no emoji ":${name.slice(0, 40)}:" here`, place)
        return []
      }
      const userIds = ids.flatMap((id) => people.find(id)?.userId ?? [])
      return userIds.length > 0 ? { emoji, userIds } : []
    })
  }
}

/** A character that leaves ink. */
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** The short name as we know it, without the tone of the skin; undefined when there is none. */
function knownEmoji(name: string): string | undefined {
  const emoji = name.replace(/::skin-tone-\d$/, '')
  return Object.hasOwn(nameToEmoji, emoji) ? emoji : undefined
}

function sizeOf({ body = '', reactions = [] }: Outgoing): number {
  const people = reactions.reduce((sum, { userIds = [] }) => sum + userIds.length, 0)
  return Buffer.byteLength(body) + people * 20 + 300
}
