/** Files that somebody chose, dropped or pasted anywhere in the page, until they are uploaded or left out. */
import { useCallback, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";

class ChosenFiles {
  private files: readonly File[] = [];
  private readonly listeners = new Set<() => void>();

  readonly current = () => this.files;

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(files: readonly File[]): void {
    this.files = files;
    for (const listener of this.listeners) listener();
  }

  add(files: readonly File[]): void {
    this.set([...this.files, ...files]);
  }
}

export const chosenFiles = new ChosenFiles();

export function useChosenFiles(): readonly File[] {
  return useSyncExternalStore(chosenFiles.subscribe, chosenFiles.current);
}

/** Takes files to the page of the documents, which asks what may be said about them. */
export function useFileHandover(): (files: readonly File[]) => void {
  const navigate = useNavigate();
  return useCallback(
    (files) => {
      chosenFiles.add(files);
      navigate("/documents");
    },
    [navigate],
  );
}
