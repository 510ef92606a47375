import { emptyUpdate, textTooLong } from '../errors.ts'

/** The stored texts of the server. Null is the default text or, where there is none, no text. */
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
 * The texts that a request sets; absent ones are unchanged, blank ones are reset. The schema checks lengths in
 * characters.
 */
export function parseServerTexts({ serverName, description, motd, welcomeMessage }: Wanted): Partial<ServerTexts> {
  const texts = {
    ...(serverName !== undefined && { name: orNull(serverName.replaceAll(/\s+/g, ' ').trim()) }),
    ...(description !== undefined && { description: orNull(description.trim()) }),
    ...(motd !== undefined && { motd: markdown(motd, 'motd', maxMotdBytes) }),
    ...(welcomeMessage !== undefined && {
      welcomeMessage: markdown(welcomeMessage, 'welcome_message', maxWelcomeBytes),
    }),
  }
  if (Object.keys(texts).length === 0) throw emptyUpdate()
  return texts
}

/** The wanted texts that differ from the current ones. */
export function findChangedTexts(before: ServerTexts, wanted: Partial<ServerTexts>): TextName[] {
  return names.filter((name) => wanted[name] !== undefined && wanted[name] !== before[name])
}

const orNull = (text: string): string | null => (text === '' ? null : text)

function markdown(text: string, field: string, bytes: number): string | null {
  if (Buffer.byteLength(text) > bytes) throw textTooLong(field, bytes)
  return text.trim() === '' ? null : text
}
