import { timestampDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import { ConnectError } from '@connectrpc/connect'
import { PagePreviewSchema, type ImportedMessage } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import { checkBody } from './body.ts'
import { assertEmoji } from './emoji.ts'
import {
  importedAuthorMissing,
  importedIdInvalid,
  importedMessageInvalid,
  importedTimeInvalid,
  threadInDm,
} from '../errors.ts'

/** The text of a deleted message is empty. */
export type CheckedMessage = Pick<
  ImportedMessage,
  | 'externalId'
  | 'authorId'
  | 'threadRootExternalId'
  | 'inReplyToExternalId'
  | 'alsoInChannel'
  | 'reactions'
  | 'attachments'
> & {
  createdAt: Date
  updatedAt: Date | null
  deletedAt: Date | null
  body: string
  linkPreview: Uint8Array | null
}

/** Throws `invalid_argument` with the id of the message at the source. */
export function checkImportedMessage(message: ImportedMessage, context: { dm: boolean; now: Date }): CheckedMessage {
  try {
    return check(message, context)
  } catch (error) {
    throw error instanceof ConnectError ? importedMessageInvalid(message.externalId, error.rawMessage) : error
  }
}

function check(message: ImportedMessage, { dm, now }: { dm: boolean; now: Date }): CheckedMessage {
  const { externalId, authorId, reactions, attachments, linkPreview } = message
  const ids = [externalId, message.threadRootExternalId, message.inReplyToExternalId]
  if (externalId === '' || !ids.every(isStorableId)) throw importedIdInvalid()
  if (authorId === '') throw importedAuthorMissing()
  const createdAt = timeOf(message.createdAt, now)
  if (createdAt === null) throw importedTimeInvalid()
  if (dm && message.threadRootExternalId !== '') throw threadInDm()
  for (const { emoji } of reactions) assertEmoji(emoji)
  const deletedAt = timeOf(message.deletedAt, now)
  return {
    ...{ externalId, authorId, createdAt, deletedAt, reactions, attachments },
    updatedAt: timeOf(message.updatedAt, now),
    alsoInChannel: message.alsoInChannel,
    body: deletedAt === null ? checkBody(message.body, attachments.length > 0) : '',
    threadRootExternalId: message.threadRootExternalId,
    inReplyToExternalId: message.inReplyToExternalId,
    linkPreview: linkPreview ? encode(PagePreviewSchema, { ...linkPreview, imageKey: '' }) : null,
  }
}

const maxIdCharacters = 200

const isStorableId = (id: string): boolean => id.length <= maxIdCharacters && !id.includes('\0')

const earliest = new Date('2000-01-01T00:00:00Z')
/** How far a time may be in the future, because the clock of the source may differ. */
const toleranceMs = 24 * 3600_000

function timeOf(at: Timestamp | undefined, now: Date): Date | null {
  if (!at) return null
  const date = timestampDate(at)
  if (!(date >= earliest && date.getTime() <= now.getTime() + toleranceMs)) throw importedTimeInvalid()
  return date
}
