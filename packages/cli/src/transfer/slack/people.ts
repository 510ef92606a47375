import type { ArchivedPerson } from '../archive.ts'
import { fieldsOf, flagOf, dateOfSeconds, textOf, type Fields } from '../fields.ts'

/** The e-mail address of a deactivated user or a bot is left out. */
export function toPerson(user: Fields, location: string): ArchivedPerson {
  const profile = fieldsOf(user.profile)
  const isDeactivated = flagOf(user.deleted)
  const bot = flagOf(user.is_bot)
  const name = textOf(user.name)
  const realName = textOf(profile.real_name) || textOf(user.real_name)
  return {
    type: 'person',
    id: textOf(user.id),
    name: name || realName,
    displayName: textOf(profile.display_name) || realName || name,
    email: isDeactivated || bot ? '' : textOf(profile.email),
    deleted: false,
    createdAt: dateOfSeconds(user.created),
    location,
  }
}

/** A bot or a member of another workspace, who is not in users.json: named as in the message, or else by id. */
export function toUnlistedPerson(id: string, message: Fields, location: string): ArchivedPerson {
  const [profile, bot] = [fieldsOf(message.user_profile), fieldsOf(message.bot_profile)]
  const name =
    textOf(profile.name) || textOf(bot.name) || textOf(message.username) || (id.startsWith('B') ? `bot-${id}` : id)
  const displayName = textOf(profile.display_name) || textOf(profile.real_name) || name
  return { type: 'person', id, name, displayName, email: '', deleted: false, location }
}
