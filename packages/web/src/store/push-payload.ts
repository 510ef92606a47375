export type PushPayload =
  | { action: 'show'; title: string; body: string; tag: string; icon: string; url: string; badge: number | undefined }
  | { action: 'dismiss'; tag: string }

/**
 * Parses a push payload; undefined if it is not recognised. A link to another origin than `origin` is replaced by the
 * start page, and an icon from another origin is removed.
 */
export function parsePushPayload(payload: unknown, origin: string): PushPayload | undefined {
  const fields = fieldsOf(payload)
  const { action, title, tag } = fields
  if (typeof tag !== 'string' || tag === '') return undefined
  if (action === 'dismiss') return { action, tag }
  if (typeof title !== 'string' || title === '') return undefined
  const badge = fields.app_badge ?? fieldsOf(fields.notification).app_badge
  return {
    ...{ action: 'show', title, tag },
    body: textOf(fields.body),
    icon: ownUrl(fields.icon, origin) ?? '',
    url: ownUrl(fields.url, origin) ?? `${origin}/`,
    badge: typeof badge === 'number' && badge >= 0 ? badge : undefined,
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** A URL of this server; undefined for any other. */
function ownUrl(value: unknown, origin: string): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value, origin)) return undefined
  const url = new URL(value, origin)
  return url.origin === origin ? url.href : undefined
}
