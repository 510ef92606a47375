/** The public URL of this server, without a trailing slash. */
export const publicUrlOf = ({ publicUrl }: { publicUrl: string }): string => publicUrl.replace(/\/+$/, '')
