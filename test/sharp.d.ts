// Lets the types be checked where packages are not those of the lock file yet; sharp brings types of its own.

declare module 'sharp'
