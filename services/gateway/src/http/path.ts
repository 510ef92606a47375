/** The target may be a whole URL if a proxy sends it. */
export function pathOf(target: string | undefined): string {
  const path = (target ?? '/').replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)[0]
  return path === undefined || path === '' ? '/' : path
}

/** Whether every server interprets the path in the same way. */
export function isPlainPath(path: string): boolean {
  if (!/^(\/[\x21-\x7e]*)$/.test(path) || /[\\#]|\/\/|\/\.{1,2}(\/|$)/.test(path)) return false
  return !/%(?![0-9a-f]{2})|%(2[ef]|5c|[01][0-9a-f]|7f|25)/i.test(path)
}
