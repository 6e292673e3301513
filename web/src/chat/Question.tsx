import { EditOutlined } from "@ant-design/icons";
import { Button, Input } from "antd";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { picksWord, sends } from "@/shared/keys";
import { useStrings } from "@/shared/language";
import { chatStrings } from "./strings";
import { LONGEST_QUESTION, lengthIfTooLong } from "./typing";

interface QuestionProps {
  text: string;
  /** Asks another question in its place; null where that is not possible. */
  onEdit: ((question: string) => void) | null;
  /** Told what was being typed when that became impossible. */
  onKept: (question: string) => void;
}

/** What was asked; the last question of a conversation can be edited and sent again. */
export function Question({ text, onEdit, onKept }: QuestionProps) {
  const t = useStrings(chatStrings);
  /** What is being typed; null while nothing is. */
  const [edited, setEdited] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isEditing = edited !== null;
  const canEdit = onEdit !== null;
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !isEditing) opener.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  useEffect(() => {
    // Another tab has asked meanwhile.
    if (canEdit || edited === null) return;
    setEdited(null);
    if (edited !== text) onKept(edited);
  }, [canEdit, edited, text, onKept]);

  if (isEditing && onEdit)
    return (
      <Editor
        value={edited}
        onChange={setEdited}
        onCancel={() => setEdited(null)}
        onSend={(question) => {
          setEdited(null);
          onEdit(question);
        }}
      />
    );
  return (
    <div className="question-row">
      {onEdit && (
        <Button
          ref={opener}
          type="text"
          className="question-edit"
          icon={<EditOutlined aria-hidden />}
          aria-label={t.edit}
          title={t.edit}
          onClick={() => setEdited(text)}
        />
      )}
      <div className="question">{text}</div>
    </div>
  );
}

interface EditorProps {
  value: string;
  onChange: (value: string) => void;
  onCancel: () => void;
  onSend: (question: string) => void;
}

/** Enter sends, Shift+Enter breaks the line, Esc leaves the question as it was. */
function Editor({ value, onChange, onCancel, onSend }: EditorProps) {
  const t = useStrings(chatStrings);
  const question = value.trim();
  const tooLong = lengthIfTooLong(question);
  const canSend = question !== "" && tooLong === null;

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Escape" && !picksWord(event)) onCancel();
    if (!sends(event)) return;
    event.preventDefault();
    if (canSend) onSend(question);
  }

  return (
    <div className="question-editor">
      <Input.TextArea
        autoFocus
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        aria-label={t.editedQuestion}
        autoSize={{ minRows: 1, maxRows: 8 }}
      />
      {tooLong !== null && (
        <p className="composer-too-long" role="alert">
          {t.questionTooLong(tooLong, LONGEST_QUESTION)}
        </p>
      )}
      <div className="question-editor-buttons">
        <Button onClick={onCancel}>{t.cancelEdit}</Button>
        <Button type="primary" disabled={!canSend} onClick={() => onSend(question)}>
          {t.sendEdited}
        </Button>
      </div>
    </div>
  );
}
