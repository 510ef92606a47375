const form = /^[\w-]+(\/[\w-]+)*$/

/** Whether a name has the form of a key: other files and folders may exist beside ours and are ignored. */
export const isKey = (name: string): boolean => form.test(name)

/** Answers the key. Throws when it is none: only a mistake in this service makes such a one. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError(`${JSON.stringify(key)} is no key of the storage`)
  return key
}
