/** Why a file could not be read, written or made, in words; the system's own code where there are none for it. */
export function fileFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException // as: errors of node:fs carry a code
  return (code === undefined ? undefined : FAILURES[code]) ?? code ?? message ?? String(error)
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'something of that name is there already',
  ENOTDIR: 'a file stands where its path needs a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'this user’s share of the disk is full',
  EFBIG: 'it would be larger than the system allows',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than 2 GiB',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its path goes round in a circle of links',
}
