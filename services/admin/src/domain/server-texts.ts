import { emptyUpdate, textTooLong } from '../errors.ts'

/** Null means the default name or description, and no text for the other two. */
export type ServerTexts = {
  name: string | null
  description: string | null
  motd: string | null
  welcomeMessage: string | null
}
export type TextName = keyof ServerTexts

type Wanted = {
  serverName?: string | undefined
  description?: string | undefined
  motd?: string | undefined
  welcomeMessage?: string | undefined
}

const names: readonly TextName[] = ['name', 'description', 'motd', 'welcomeMessage']
const maxMotdBytes = 1000
const maxWelcomeBytes = 10_000

/**
 * Absent texts are unchanged, blank ones are reset. Throws `invalid_argument` if all are absent, or if Markdown has too
 * many bytes; the field rules in `proto/` check lengths in characters.
 */
export function parseServerTexts({ serverName, description, motd, welcomeMessage }: Wanted): Partial<ServerTexts> {
  const texts = {
    ...(serverName !== undefined && { name: orNull(serverName.replaceAll(/\s+/g, ' ').trim()) }),
    ...(description !== undefined && { description: orNull(description.trim()) }),
    ...(motd !== undefined && { motd: parseMarkdown(motd, 'motd', maxMotdBytes) }),
    ...(welcomeMessage !== undefined && {
      welcomeMessage: parseMarkdown(welcomeMessage, 'welcome_message', maxWelcomeBytes),
    }),
  }
  if (Object.keys(texts).length === 0) throw emptyUpdate()
  return texts
}

export function findChangedTexts(before: ServerTexts, wanted: Partial<ServerTexts>): TextName[] {
  return names.filter((name) => wanted[name] !== undefined && wanted[name] !== before[name])
}

const orNull = (text: string): string | null => (text === '' ? null : text)

function parseMarkdown(text: string, field: string, bytes: number): string | null {
  if (Buffer.byteLength(text) > bytes) throw textTooLong(field, bytes)
  return text.trim() === '' ? null : text
}
