import type { ArchivedFile, ArchivedMessage, Skipped } from '../archive.ts'
import { fieldsList, fieldsOf, flagOf, textOf, textsOf, type Fields } from '../fields.ts'
import type { Files } from './files.ts'

const systemSubtypes = new Set([
  ...['channel_join', 'channel_leave', 'channel_topic', 'channel_purpose', 'channel_name', 'channel_archive'],
  ...['channel_unarchive', 'channel_convert_to_private', 'channel_convert_to_public', 'channel_posting_permissions'],
  ...['group_join', 'group_leave', 'group_topic', 'group_purpose', 'group_name', 'group_archive', 'group_unarchive'],
  ...['mpdm_move', 'pinned_item', 'unpinned_item', 'bot_add', 'bot_remove', 'bot_enable', 'bot_disable'],
  ...['reminder_add', 'reply_broadcast', 'message_changed', 'message_deleted', 'message_replied', 'ekm_access_denied'],
  ...['sh_room_created', 'huddle_thread', 'tabbed_canvas_updated', 'channel_canvas_updated', 'joiner_notification'],
])

const timestampPattern = /^(\d{9,11})\.(\d{6})$/
const earliest = Date.UTC(2000, 0)
const maxClockSkewMs = 24 * 3600_000

function timeOf(ts: unknown): Date | undefined {
  const [, seconds, micros] = timestampPattern.exec(textOf(ts)) ?? []
  if (seconds === undefined || micros === undefined) return undefined
  const ms = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
  return ms >= earliest && ms <= Date.now() + maxClockSkewMs ? new Date(ms) : undefined
}

/** The id of a user or a bot, or `bot:` and the name of a bot; empty if the message names no author. */
export const authorOf = (message: Fields): string =>
  textOf(message.user) || textOf(fieldsOf(message.comment).user) || textOf(message.bot_id) || botByName(message)

const botByName = (message: Fields): string => {
  const name = textOf(message.username)
  return name === '' ? '' : `bot:${name}`
}

export function toMessage(message: Fields, files: Files, location: string): ArchivedMessage | Skipped {
  const subtype = textOf(message.subtype)
  const skipped = (what: string, reason: string): Skipped => ({ type: 'skipped', what, reason, location })
  if (systemSubtypes.has(subtype))
    return skipped('notices', `notices about the room itself are not imported (${subtype})`)
  const createdAt = timeOf(message.ts)
  if (!createdAt) return skipped('messages', 'the time is invalid')
  const author = authorOf(message)
  if (author === '') return skipped('messages', 'it has no author')
  const [ts, thread] = [textOf(message.ts), textOf(message.thread_ts)]
  const threadTs = timestampPattern.test(thread) ? thread : ''
  const base = { type: 'message', id: ts, author, createdAt, markup: 'slack', inReplyTo: '', location } as const
  const threadRoot = threadTs === ts ? '' : threadTs
  const alsoInChannel = subtype === 'thread_broadcast'
  if (subtype === 'tombstone')
    return { ...base, ...{ deletedAt: createdAt, text: '', threadRoot, alsoInChannel, reactions: [], files: [] } }
  const text = textFrom(message)
  const attached = filesOf(message, files)
  if (text === '' && attached.length === 0) return skipped('messages', 'it has neither text nor files')
  return {
    ...{ ...base, threadRoot, alsoInChannel, files: attached },
    text: subtype === 'me_message' && text !== '' ? `_${text}_` : text,
    updatedAt: timeOf(fieldsOf(message.edited).ts),
    reactions: fieldsList(message.reactions).map((reaction) => {
      return { emoji: textOf(reaction.name), people: textsOf(reaction.users) }
    }),
  }
}

/** Includes the text of attachments, which bots use, but not link previews. */
function textFrom(message: Fields): string {
  const text = textOf(message.text)
  const shown = fieldsList(message.attachments)
    .filter((attachment) => !flagOf(attachment.is_msg_unfurl) && textOf(attachment.from_url) === '')
    .map(({ pretext, title, text: body, fallback }) => {
      const parts = [textOf(pretext), textOf(title), textOf(body)].filter((part) => part !== '')
      return parts.length > 0 ? parts.join('\n') : textOf(fallback)
    })
  const comment = textOf(fieldsOf(message.comment).comment)
  return [text || comment, ...shown].filter((part) => part !== '').join('\n')
}

function filesOf(message: Fields, files: Files): ArchivedFile[] {
  const listed = fieldsList(message.files)
  const single = Object.keys(fieldsOf(message.file)).length > 0 ? [fieldsOf(message.file)] : []
  return (listed.length > 0 ? listed : single)
    .filter((file) => textOf(file.mode) !== 'tombstone')
    .map((file) => {
      const id = textOf(file.id)
      const name = textOf(file.name) || textOf(file.title) || id
      return { id, name, contentType: textOf(file.mimetype), bytes: files.find(id) }
    })
}
