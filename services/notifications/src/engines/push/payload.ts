export type Shown = {
  title: string
  body: string
  tag: string
  notificationId: string
  url: string
  icon: string
  /** Number on the app's icon; undefined leaves it unchanged. */
  appBadge: number | undefined
}

/** With aes128gcm's header (86 bytes), delimiter (1) and tag (16), a request with such a payload has 2048 bytes. */
export const maxPayloadBytes = 2048 - 86 - 1 - 16

/**
 * The notification in the format of declarative Web Push and, for service workers that show it themselves, its fields
 * at the top level. The body, and then the title, are shortened until the payload has at most `maxPayloadBytes`. If it
 * has more even without both, they are left whole.
 */
export function showPayload(shown: Shown): string {
  const { title, body } = shown
  const withBody = shortenToFit(body, (text) => encodeShow({ ...shown, body: text }))
  return withBody ?? shortenToFit(title, (text) => encodeShow({ ...shown, title: text, body: '' })) ?? encodeShow(shown)
}

export const dismissPayload = (tag: string): string => JSON.stringify({ action: 'dismiss', tag })

function encodeShow({ title, body, tag, notificationId, url, icon, appBadge }: Shown): string {
  const common = { title, body, icon, badge: icon, tag }
  return JSON.stringify({
    ...{ web_push: 8030, mutable: true, ...common, notificationId, url },
    notification: {
      ...{ ...common, navigate: url, data: { notificationId, url } },
      ...(appBadge !== undefined && { app_badge: appBadge }),
    },
  })
}

function shortenToFit(text: string, compose: (text: string) => string): string | undefined {
  const characters = Array.from(text)
  for (let left = characters.length; left >= 0; left--) {
    const payload = compose(left === characters.length ? text : `${characters.slice(0, left).join('')}…`)
    if (Buffer.byteLength(payload) <= maxPayloadBytes) return payload
  }
  return undefined
}
