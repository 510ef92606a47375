/** Content of a notification in the browser. */
export type Shown = {
  title: string
  body: string
  tag: string
  notificationId: string
  /** Address opened by a click. */
  url: string
  /** Address of the server's icon. */
  icon: string
  /** Number on the app's icon; undefined leaves it unchanged. */
  appBadge: number | undefined
}

/** With the header (86), the delimiter (1) and the tag (16) of aes128gcm this fills a record of 2048 bytes. */
export const longestPayload = 2048 - 86 - 1 - 16

/**
 * The payload of a push: the notification in the format of declarative Web Push and, for service workers that show it
 * themselves, its fields at the top level. Shortened to fit a record.
 */
export function showPayload(shown: Shown): string {
  const { title, body } = shown
  const withBody = longestFitting(body, (text) => showing({ ...shown, body: text }))
  return withBody ?? longestFitting(title, (text) => showing({ ...shown, title: text, body: '' })) ?? showing(shown)
}

/** The payload that makes a browser close the notification with a tag. */
export const dismissPayload = (tag: string): string => JSON.stringify({ action: 'dismiss', tag })

function showing({ title, body, tag, notificationId, url, icon, appBadge }: Shown): string {
  const alike = { title, body, icon, badge: icon, tag }
  return JSON.stringify({
    ...{ web_push: 8030, mutable: true, ...alike, notificationId, url },
    notification: {
      ...{ ...alike, navigate: url, data: { notificationId, url } },
      ...(appBadge !== undefined && { app_badge: appBadge }),
    },
  })
}

/** The payload with as much of the text as fits; undefined if it is too long even without the text. */
function longestFitting(text: string, compose: (text: string) => string): string | undefined {
  const characters = Array.from(text)
  for (let left = characters.length; left >= 0; left--) {
    const payload = compose(left === characters.length ? text : `${characters.slice(0, left).join('')}…`)
    if (Buffer.byteLength(payload) <= longestPayload) return payload
  }
  return undefined
}
