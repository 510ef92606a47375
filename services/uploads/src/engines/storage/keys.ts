const form = /^[\w-]+(\/[\w-]+)*$/

/** Whether it may be a key: other files and folders may lie beside ours, and are none of our business. */
export const isKey = (name: string): boolean => form.test(name)

/** Answers the key. Throws when it is none: only a mistake in this service makes such a one. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError(`${JSON.stringify(key)} is no key of the storage`)
  return key
}
