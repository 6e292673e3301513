import { CloudUploadOutlined } from "@ant-design/icons";
import { App } from "antd";
import { useEffect, useState } from "react";
import { useFileHandover } from "@/documents/upload/chosen";
import { useStrings } from "@/shared/language";
import { appStrings } from "./strings";
import "./drop-zone.css";

/** Makes the whole window take files that are dragged onto it, on every page: the browser would leave and show them. */
export function DropZone() {
  const t = useStrings(appStrings);
  const { message } = App.useApp();
  const handOver = useFileHandover();
  const [over, setOver] = useState(false);

  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
      const files = items.filter((item) => !item.webkitGetAsEntry()?.isDirectory).map((item) => item.getAsFile());
      if (files.length < items.length) void message.warning(t.foldersSkipped);
      const there = files.filter((file) => file !== null);
      if (there.length > 0) handOver(there);
    };
    window.addEventListener("dragenter", onDrag);
    window.addEventListener("dragover", onDrag);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragenter", onDrag);
      window.removeEventListener("dragover", onDrag);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, [handOver, message, t]);

  if (!over) return null;
  return (
    <div className="drop-zone" aria-hidden="true">
      <div>
        <CloudUploadOutlined aria-hidden />
        <strong>{t.dropHere}</strong>
        <span>{t.dropHint}</span>
      </div>
    </div>
  );
}
